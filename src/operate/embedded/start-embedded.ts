import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#settings/config.js';
import { ConfigError } from '#settings/setting.js';
import { isRunning } from '#base/processes.js';
import { makePrivateFolder } from '#base/private-folder.js';
import { type Binary, isAtLeast } from './binary.js';
import { findBinary } from './find-binary.js';
import type { RunningMongod } from './launch-mongod.js';
import {
  addressOf,
  formReplicaSet,
  type Instance,
  isBusy,
  openData,
  type OpenedData,
  readInstance,
  writeInstance,
} from './open-data.js';

interface EmbeddedOptions {
  readonly dataDir: string;
  /** The preferred port; another one is used if it is busy. If absent or 0, the port of the last start, or any. */
  readonly port?: number | undefined;
  /** Size of the cache of the storage engine, in GB; 0.25 if absent. */
  readonly cacheSizeGB?: number;
  /** Called with each line that a user should read: a download, a changed port, a server that ended. */
  readonly log: (line: string) => void;
  /** Called once if the server has ended and cannot be started again, with an error whose message is meant for users. */
  readonly onLost: (error: Error) => void;
}

/** A MongoDB server that belongs to this process. */
export interface EmbeddedDatabase {
  readonly uri: string;
  readonly version: string;
  readonly dataDir: string;
  readonly port: number;
  /** The pid of the current server; one that ends by itself is started again at the same address. */
  readonly serverPid: number;
  /** Ends the server cleanly; the data stay. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts MongoDB as a replica set of one on the data in `dataDir`, and resolves when it accepts writes. Throws an Error whose
 * message a user can act on: no mongod found, data in use, data of a newer version.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedDatabase> => {
  const { cacheSizeGB = 0.25, log } = options;
  const dataDir = resolve(options.dataDir);
  await makeFolder(dataDir);
  const last = await readInstance(dataDir);
  const binary = await findBinary({ env: process.env, dataVersion: last?.version, log });
  refuseNewerData(binary, last, dataDir);
  const wanted = options.port || (last?.port ?? 0);
  const open = async (preferred: number): Promise<OpenedData> => {
    const opened = await openData(binary.path, { dataDir, port: preferred, cacheSizeGB });
    await makeWritable(opened, dataDir, binary.version);
    return opened;
  };
  const { port, mongod } = await open(wanted);
  if (options.port && options.port !== port)
    log(`Port ${String(options.port)} is busy: MongoDB listens on ${String(port)} instead`);
  const kept = keepRunning(mongod, () => reopen(open, port), options);
  return {
    uri: addressOf(port),
    version: binary.version,
    dataDir,
    port,
    get serverPid() {
      return kept.pid;
    },
    stop: kept.stop,
  };
};

/** Starts the server again on the same port, to which clients are connected. Throws an Error if the port is busy. */
const reopen = async (open: (port: number) => Promise<OpenedData>, port: number): Promise<RunningMongod> => {
  const opened = await open(port);
  if (opened.port === port) return opened.mongod;
  await opened.mongod.stop();
  throw new Error(`MongoDB has ended, and its port ${String(port)} is busy now`);
};

const makeFolder = async (dataDir: string): Promise<void> => {
  try {
    await makePrivateFolder(dataDir);
    await access(dataDir, constants.W_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException; // of the file system
    throw new Error(
      `The embedded MongoDB cannot keep its data in ${dataDir} (${code}): start in a folder that can be written, name one in ` +
        'database.embedded.directory, or set MONGODB_URI to a MongoDB of yours.',
      { cause: error },
    );
  }
};

const refuseNewerData = (binary: Binary, last: Instance | undefined, dataDir: string): void => {
  if (last === undefined || isAtLeast(binary.version, last.version)) return;
  throw new Error(
    `The data in ${dataDir} were written by MongoDB ${last.version}; ${binary.path} is ${binary.version}, which must not open ` +
      'them. Use that version or a newer one, or another data folder.',
  );
};

const makeWritable = async ({ mongod, port }: OpenedData, dataDir: string, version: string): Promise<void> => {
  try {
    await writeInstance(dataDir, { version, port, serverPid: mongod.pid, ownerPid: process.pid });
    await formReplicaSet(port);
    const late = delay(30_000, 'it was not elected within 30 s', { ref: false });
    const failure = await Promise.race([mongod.primary, mongod.ended, late]);
    if (failure !== undefined) throw new Error(failure);
  } catch (error) {
    await mongod.stop();
    throw new Error(`MongoDB did not become ready on ${dataDir}: ${(error as Error).message}`, { cause: error });
  }
};

/** A server that ends so many times within so many milliseconds is not started again. */
const max = { ends: 3, within: 60_000 };

/** Starts the server again by `launch`, at the same address, whenever it ends by itself, until `stop` is called. */
function keepRunning(
  first: RunningMongod,
  launch: () => Promise<RunningMongod>,
  { log, onLost }: EmbeddedOptions,
): Pick<RunningMongod, 'pid' | 'stop'> {
  let current = first;
  let isStopping = false;
  const ends: number[] = [];

  const restart = async (reason: string): Promise<void> => {
    ends.push(Date.now());
    const recent = ends.filter((time) => Date.now() - time < max.within).length;
    if (recent >= max.ends) throw new Error(`MongoDB has ended ${String(recent)} times within a minute: ${reason}`);
    log(`MongoDB has ended: ${reason}. It is started again.`);
    current = await launch();
    log('MongoDB runs again');
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const reason = await current.ended;
      if (isStopping) return;
      await restart(reason);
      if (isStopping) return current.stop();
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!isStopping) onLost(error instanceof Error ? error : new Error(String(error)));
  });

  return {
    get pid() {
      return current.pid;
    },
    stop: async () => {
      isStopping = true;
      await current.stop();
      await watching;
    },
  };
}

/**
 * Starts the embedded server that the configuration describes. Throws a ConfigError in production unless the configuration allows it,
 * and the errors of startEmbedded. `log` is called with lines that a user should read, `onLost` if the server cannot be kept
 * running.
 */
export async function startConfigured(
  config: Config,
  { log, onLost }: Pick<EmbeddedOptions, 'log' | 'onLost'>,
): Promise<EmbeddedDatabase> {
  const { port, cacheSizeGB } = config.database.embedded;
  refuseEmbedded(config);
  return startEmbedded({ dataDir: dataDirectory(config), port: port ?? undefined, cacheSizeGB, log, onLost });
}

/** Throws a ConfigError in production unless the configuration allows the embedded server. */
export function refuseEmbedded({ environment, database }: Config): void {
  if (environment === 'production' && database.embedded.production === 'refuse') throw new ConfigError(notForProduction);
}

const notForProduction =
  'The embedded MongoDB (one node, no password, no backups) is not meant for production. Set MONGODB_URI to a replica set, ' +
  'or EMBEDDED_MONGODB=allow to use it all the same.';

/**
 * Returns the address of the configured embedded server if a process runs it; otherwise null. One that has ended may still be in the
 * process table, or another process may have its id.
 */
export async function runningServer(config: Config): Promise<string | null> {
  const instance = await readInstance(dataDirectory(config));
  if (instance === undefined || !isRunning(instance.serverPid) || !(await isBusy(instance.port))) return null;
  return addressOf(instance.port);
}

const dataDirectory = ({ directory, database }: Config): string => resolve(directory, database.embedded.directory);
