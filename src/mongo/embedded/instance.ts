import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from 'mongodb';

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
export const readLockHolder = async (dataDir: string): Promise<number | undefined> => {
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
