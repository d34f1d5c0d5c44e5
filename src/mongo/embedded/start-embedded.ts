import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Binary, isAtLeast } from './binary.js';
import { findBinary } from './find-binary.js';
import { type Instance, readInstance, writeInstance } from './instance-file.js';
import type { RunningMongod } from './launch-mongod.js';
import { openData, type OpenedData } from './open-data.js';
import { addressOf, formReplicaSet } from './replica-set.js';

interface EmbeddedOptions {
  readonly dataDir: string;
  /** The preferred port; another one is used if it is busy. If absent or 0: the port of the last time, or any. */
  readonly port?: number | undefined;
  /** Memory for the cache of the storage engine; 0.25 if absent. */
  readonly cacheSizeGB?: number;
  /** Takes what a user should read, one line at a time: a download, a port that was changed, a server that ended. */
  readonly log: (line: string) => void;
}

/** A MongoDB server that belongs to this process. */
export interface EmbeddedDatabase {
  readonly uri: string;
  readonly version: string;
  readonly dataDir: string;
  readonly port: number;
  readonly serverPid: number;
  /** Ends the server cleanly; the data stay. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts MongoDB as a replica set of one on the data in `dataDir`, and resolves when it may be written to. Throws an Error
 * whose message a user can act on: no mongod to be had, data in use, data of a newer version.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedDatabase> => {
  const { cacheSizeGB = 0.25, log } = options;
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const last = await readInstance(dataDir);
  const binary = await findBinary({ env: process.env, dataVersion: last?.version, log });
  refuseNewerData(binary, last, dataDir);
  const wanted = options.port || (last?.port ?? 0);
  const opened = await openData(binary.path, { dataDir, wanted, cacheSizeGB });
  if (options.port && options.port !== opened.port) {
    log(`Port ${String(options.port)} is busy: MongoDB listens on ${String(opened.port)} instead`);
  }
  await makeWritable(opened, dataDir, binary.version);
  const stop = stopAndReportCrash(opened.mongod, log);
  const { port, mongod } = opened;
  return { uri: addressOf(port), version: binary.version, dataDir, port, serverPid: mongod.pid, stop };
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
    await Promise.race([mongod.primary, failWhenEnded(mongod), failWhenLate()]);
  } catch (error) {
    await mongod.stop();
    throw new Error(`MongoDB did not become ready on ${dataDir}: ${(error as Error).message}`, { cause: error });
  }
};

const failWhenEnded = async (mongod: RunningMongod): Promise<never> => {
  throw new Error(await mongod.ended);
};

const failWhenLate = async (): Promise<never> => {
  await delay(30_000, undefined, { ref: false });
  throw new Error('it was not elected within 30 s');
};

const stopAndReportCrash = (mongod: RunningMongod, log: (line: string) => void): (() => Promise<void>) => {
  let stopping = false;
  void mongod.ended.then((reason) => {
    if (!stopping) log(`MongoDB has ended: ${reason}`);
  });
  return () => {
    stopping = true;
    return mongod.stop();
  };
};
