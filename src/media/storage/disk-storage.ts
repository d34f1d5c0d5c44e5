import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder } from '../../private-folder.js';
import type { FileStorage } from './file-storage.js';

/**
 * Returns a storage in a folder on disk, for one instance or for several that share the folder. Subfolders are named by the last
 * two digits of the keys.
 */
export function diskStorage(folder: string): FileStorage {
  const placeOf = (key: string): string => path.join(folder, path.parse(key).name.slice(-2), key);
  return {
    write: async (key, source) => {
      const place = placeOf(key);
      await makePrivateFolder(path.dirname(place));
      const file = await open(place, 'wx', 0o640);
      try {
        for await (const bytes of source) await file.appendFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncFolder(path.dirname(place));
    },
    read: (key, { start, end }) => (end > start ? createReadStream(placeOf(key), { start, end: end - 1 }) : []),
    remove: (key) => rm(placeOf(key), { force: true }),
  };
}

/** Syncs a folder to disk. A new file survives a power failure only if its folder is synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
