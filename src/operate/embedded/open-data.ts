import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { isRunning } from '#base/processes.js';
import { launchMongod, type RunningMongod } from './launch-mongod.js';

/** The data, and the options of their server. */
interface DataToOpen {
  readonly dataDir: string;
  /** The preferred port; 0 for any. */
  readonly port: number;
  readonly cacheSizeGB: number;
}

/** A running mongod that has opened the data. */
export interface OpenedData {
  readonly mongod: RunningMongod;
  readonly port: number;
}

/**
 * Starts `program` on `dataDir`, on the port `wanted`, or on another one if it is busy. Only one mongod can lock the data. If the
 * owner has ended and its server still has the lock, waits up to ten seconds. Throws an Error that names the process with the
 * lock, or the reason why mongod does not start.
 */
export const openData = async (program: string, { dataDir, port: wanted, cacheSizeGB }: DataToOpen): Promise<OpenedData> => {
  const deadline = Date.now() + 10_000;
  let preferred = wanted;
  for (;;) {
    const port = await pickPort(preferred);
    const launched = await launchMongod(program, [
      ...['--dbpath', dataDir, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', 'rs0'],
      ...['--storageEngine', 'wiredTiger', ...commonArguments(cacheSizeGB)],
    ]);
    switch (launched.kind) {
      case 'running':
        return { mongod: launched, port };
      case 'in-use':
        await judgeHolder(dataDir, deadline);
        await delay(200);
        break;
      case 'port-busy':
        // The port was taken after it was picked.
        preferred = 0;
        break;
      case 'failed':
        throw new Error(`MongoDB (${program}) does not start on ${dataDir}: ${launched.reason}`);
    }
  }
};

/**
 * Returns the arguments of a mongod besides its data, address and replica set: no JavaScript, no zlib on the network, and journal
 * files of 10 MB that are not allocated in advance. The default files of 100 MB take 200 MB of disk for an empty database and
 * make a start 0.3 to 0.6 s slower, and writes are not faster with them.
 */
export const commonArguments = (cacheSizeGB: number): readonly string[] => [
  ...['--oplogSize', '256', '--wiredTigerCacheSizeGB', String(cacheSizeGB)],
  ...['--wiredTigerEngineConfigString', 'log=(prealloc=false,file_max=10MB)'],
  ...['--networkMessageCompressors', 'snappy,zstd', '--noscripting'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  ...(process.platform === 'win32' ? [] : ['--nounixsocket']),
];

/**
 * Throws if another attempt is useless. Whether the lock is free is known only by an attempt, because a killed server may stay in
 * the process table until its exit code is read.
 */
const judgeHolder = async (dataDir: string, deadline: number): Promise<void> => {
  const [instance, lockHolder] = await Promise.all([readInstance(dataDir), readLockHolder(dataDir)]);
  // On Windows other processes cannot read the lock.
  const isItsOwn = lockHolder === instance?.serverPid || process.platform === 'win32';
  if (instance !== undefined && isItsOwn && isRunning(instance.ownerPid)) {
    throw new Error(
      `The data in ${dataDir} are in use by process ${String(instance.ownerPid)}, whose MongoDB answers at ` +
        `${addressOf(instance.port)}. Stop that process, or set MONGODB_URI to that address to share them.`,
    );
  }
  if (Date.now() > deadline) {
    throw new Error(`The data in ${dataDir} are held by mongod, process ${String(lockHolder ?? 'unknown')}: end it first.`);
  }
};

/** Returns `wanted` if it is free on 127.0.0.1, otherwise another port that is free. 0 stands for any port. */
export const pickPort = async (wanted: number): Promise<number> => {
  const port = (await tryPort(wanted)) ?? (await tryPort(0));
  if (port === undefined) throw new Error('No free port was found on 127.0.0.1');
  return port;
};

/** Returns whether a program listens on a port of 127.0.0.1. */
export const isBusy = async (port: number): Promise<boolean> => (await tryPort(port)) === undefined;

const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? address?.port : undefined);
      });
    });
  });

/**
 * The content of instance.json beside the data: the version of the server that wrote the data, its port, its pid, and the pid of
 * the process that started it.
 */
export interface Instance {
  readonly version: string;
  readonly port: number;
  readonly serverPid: number;
  readonly ownerPid: number;
}

/** Returns the instance that last opened the data; undefined if there was none. */
export const readInstance = async (dataDir: string): Promise<Instance | undefined> => {
  const text = await readText(join(dataDir, 'instance.json'));
  // Only writeInstance writes this file, and it writes it whole.
  return text === undefined ? undefined : (JSON.parse(text) as Instance);
};

/** Replaces instance.json as a whole. */
export const writeInstance = async (dataDir: string, instance: Instance): Promise<void> => {
  const unfinished = join(dataDir, `instance.${String(process.pid)}.json`);
  await writeFile(unfinished, `${JSON.stringify(instance, null, 2)}\n`);
  await rename(unfinished, join(dataDir, 'instance.json'));
};

/** Returns the pid of the process that has locked the data; undefined if it has ended cleanly. mongod writes it. */
const readLockHolder = async (dataDir: string): Promise<number | undefined> => {
  const pid = Number.parseInt((await readText(join(dataDir, 'mongod.lock'))) ?? '', 10);
  return Number.isNaN(pid) ? undefined : pid;
};

const readText = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // EBUSY: on Windows a locked file cannot be read.
    if (error.code === 'ENOENT' || error.code === 'EBUSY') return undefined;
    throw error;
  });

/** Returns the connection string of the embedded server. */
export const addressOf = (port: number): string => `mongodb://127.0.0.1:${String(port)}/?replicaSet=rs0`;

/**
 * Makes the server on `port` a replica set of one at its current address. Initiates one if the data have none, and reconfigures
 * it by force if the port has changed.
 */
export const formReplicaSet = async (port: number): Promise<void> => {
  // Loaded only here, while the server starts, because it takes 0.1 s.
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(`mongodb://127.0.0.1:${String(port)}/?directConnection=true`, { maxPoolSize: 1 });
  try {
    const stored = await client.db('local').collection('system.replset').findOne({}, { readPreference: 'nearest' });
    const command = replicaSetCommand(stored, `127.0.0.1:${String(port)}`);
    if (command !== undefined) await client.db('admin').command(command);
  } finally {
    await client.close();
  }
};

const replicaSetCommand = (stored: Document | null, host: string): Document | undefined => {
  const members = [{ _id: 0, host }];
  if (stored === null) return { replSetInitiate: { _id: 'rs0', members } };
  const { version, members: storedMembers } = stored as unknown as { version: number; members: readonly { host: string }[] };
  if (storedMembers.length === 1 && storedMembers[0]?.host === host) return undefined;
  return { replSetReconfig: { ...stored, version: version + 1, members }, force: true };
};
