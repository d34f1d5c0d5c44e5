import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder } from '../../private-folder.js';
import { type Binary, isAtLeast } from './binary.js';
import { findBinary } from './find-binary.js';
import { type Instance, readInstance, writeInstance, addressOf, formReplicaSet } from './instance.js';
import { keepRunning } from './keep-running.js';
import type { RunningMongod } from './launch-mongod.js';
import { openData, type OpenedData } from './open-data.js';

export interface EmbeddedOptions {
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
  const { cacheSizeGB = 0.25, log, onLost } = options;
  const dataDir = resolve(options.dataDir);
  await makeFolder(dataDir);
  const last = await readInstance(dataDir);
  const binary = await findBinary({ env: process.env, dataVersion: last?.version, log });
  refuseNewerData(binary, last, dataDir);
  const wanted = options.port || (last?.port ?? 0);
  const open = async (preferred: number): Promise<OpenedData> => {
    const opened = await openData(binary.path, { dataDir, wanted: preferred, cacheSizeGB });
    await makeWritable(opened, dataDir, binary.version);
    return opened;
  };
  const { port, mongod } = await open(wanted);
  if (options.port && options.port !== port)
    log(`Port ${String(options.port)} is busy: MongoDB listens on ${String(port)} instead`);
  const kept = keepRunning({ first: mongod, launch: () => reopen(open, port), log, onLost });
  const { stop } = kept;
  return {
    uri: addressOf(port),
    version: binary.version,
    dataDir,
    port,
    get serverPid() {
      return kept.pid;
    },
    stop,
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
