import type { Db, Document } from 'mongodb';

/** The counters of a mongod since it started, summed over all its clients. */
export interface MongodStatus {
  /** Microseconds; 0 if the system of the server does not report it. */
  readonly cpu: number;
  /** Commands that touch data, by name; those that only keep connections alive are left out. */
  readonly commands: ReadonlyMap<string, number>;
  readonly keysExamined: number;
  readonly documentsExamined: number;
}

const counted =
  'find aggregate count distinct getMore insert update delete findAndModify bulkWrite commitTransaction abortTransaction'.split(
    ' ',
  );

/** The counters of an idle server. */
export const noStatus: MongodStatus = { cpu: 0, commands: new Map(), keysExamined: 0, documentsExamined: 0 };

/** Reads the counters of the server behind a database. */
export async function readMongodStatus(db: Db): Promise<MongodStatus> {
  const status = await db.admin().command({ serverStatus: 1 });
  // The parts of serverStatus that are read here, as MongoDB 6 to 8 write them.
  const { commands, queryExecutor } = status.metrics as Metrics;
  const { user_time_us = 0, system_time_us = 0 } = status.extra_info as Times;
  return {
    cpu: Number(user_time_us) + Number(system_time_us),
    commands: new Map(counted.map((name) => [name, Number(commands[name]?.total ?? 0)])),
    keysExamined: Number(queryExecutor.scanned),
    documentsExamined: Number(queryExecutor.scannedObjects),
  };
}

interface Metrics {
  readonly commands: Readonly<Record<string, Document | undefined>>;
  readonly queryExecutor: Document;
}

interface Times {
  readonly user_time_us?: unknown;
  readonly system_time_us?: unknown;
}
