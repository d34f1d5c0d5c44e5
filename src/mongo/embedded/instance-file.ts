import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What is kept beside the data, in instance.json: the version of the server that wrote them, its port, and whose it was. */
export interface Instance {
  readonly version: string;
  readonly port: number;
  readonly serverPid: number;
  readonly ownerPid: number;
}

/** The instance that last opened the data; undefined where there was none. */
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

/** The process that holds the lock on the data, which mongod itself writes down; empty once it has ended cleanly. */
export const readLockHolder = async (dataDir: string): Promise<number | undefined> => {
  const pid = Number.parseInt((await readText(join(dataDir, 'mongod.lock'))) ?? '', 10);
  return Number.isNaN(pid) ? undefined : pid;
};

const readText = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // EBUSY: Windows shows a locked file to nobody.
    if (error.code === 'ENOENT' || error.code === 'EBUSY') return undefined;
    throw error;
  });
