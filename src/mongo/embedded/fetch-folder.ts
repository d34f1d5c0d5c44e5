import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a folder in the cache for one download, and removes those of interrupted downloads. */
export const beginFetching = async (cacheDir: string): Promise<string> => {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  return mkdtemp(join(cacheDir, 'fetching-'));
};

/** Removes the folders of downloads that were interrupted more than an hour ago, which have up to half a gigabyte. */
const removeAbandoned = async (cacheDir: string): Promise<void> => {
  const folders = (await readdir(cacheDir)).filter((name) => name.startsWith('fetching-'));
  for (const folder of folders.map((name) => join(cacheDir, name))) {
    const changed = await stat(folder).catch(() => undefined);
    if (changed !== undefined && Date.now() - changed.mtimeMs > 3_600_000) await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Moves the finished folder `work` to `target` as a whole. If another process was faster, its folder stays, and the caller must
 * remove `work`.
 */
export const finishFetching = async (work: string, target: string): Promise<void> => {
  await chmod(work, 0o755);
  await rename(work, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
};
