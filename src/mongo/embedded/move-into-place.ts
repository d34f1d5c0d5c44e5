import { rename } from 'node:fs/promises';

/**
 * Gives the finished folder `work` its place, all at once. Where another process was faster, what that one put there stays,
 * and `work` is left for its maker to remove.
 */
export const moveIntoPlace = (work: string, target: string): Promise<void> =>
  rename(work, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
