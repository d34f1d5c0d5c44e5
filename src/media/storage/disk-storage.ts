import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder } from '#base/private-folder.js';
import type { ByteSource, FileStorage } from './file-storage.js';

/**
 * Returns a storage in a folder on disk, for one instance or for several that share the folder. Subfolders are named by the last
 * two digits of the keys.
 */
export function diskStorage(folder: string): FileStorage {
  const placeOf = (key: string): string => path.join(folder, path.parse(key).name.slice(-2), key);
  /** Where a file is until it is complete, so that a process that is killed leaves no half of it at its place. */
  const partOf = (key: string): string => `${placeOf(key)}.part`;
  return {
    write: async (key, source) => {
      const [place, part] = [placeOf(key), partOf(key)];
      await makePrivateFolder(path.dirname(place));
      try {
        await writeFile(part, source);
        await rename(part, place);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      await syncFolder(path.dirname(place));
    },
    read: (key, { start, end }) => (end > start ? createReadStream(placeOf(key), { start, end: end - 1 }) : []),
    sizeOf: (key) => stat(placeOf(key)).then(({ size }) => size, nullIfMissing),
    remove: async (key) => {
      for (const file of [placeOf(key), partOf(key)]) await rm(file, { force: true });
    },
  };
}

async function writeFile(place: string, source: ByteSource): Promise<void> {
  const file = await open(place, 'w', 0o640);
  try {
    for await (const bytes of source) await file.appendFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** Syncs a folder to disk. A new file survives a power failure only if its folder is synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
