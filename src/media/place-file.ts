import type { ContentContext } from '#content/content-context.js';
import { fieldErrors, messageOf } from '#base/errors.js';
import { is } from '#store/form/matches.js';
import { afterCommit } from '#store/send/transaction.js';
import type { Store } from '#store/store.js';
import { findFirst, findStored } from '#store/stored.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { changeMany } from '#store/write/compile-change.js';
import { collections } from '#model/schema/collections.js';
import { decodeId, decodeOrNull, isRecord } from '#base/values.js';
import type { FileInfo } from './parse-file-info.js';

/** Returns the folder that information about a file names, which may be JSON; null for the top, undefined if it names none. */
export function folderIn(sent: unknown): unknown {
  const info = typeof sent === 'string' ? decodeOrNull(sent) : sent;
  return isRecord(info) ? info['folder'] : undefined;
}

/**
 * Returns the information about a file with the folder that it was sent with, or else at the top of the media library. Throws a
 * ValidationError that names the `path` if there is no such folder.
 */
export async function placeFile(
  info: FileInfo,
  sent: unknown,
  path: readonly string[],
  { store }: ContentContext,
): Promise<FileInfo> {
  const wanted = folderIn(sent);
  if (wanted === null || wanted === undefined) return { ...info, folder: null, folderPath: '/' };
  const folder = await findFirst(store.database, collections.folders, { _id: decodeId(wanted) });
  if (folder === null) throw fieldErrors([{ path: [...path, 'folder'], message: 'the folder does not exist' }]);
  return { ...info, folder: Number(folder['_id']), folderPath: String(folder['path']) };
}

/** A folder, null for the top, and its path as a write has read it. */
interface FilePlace {
  readonly folder?: unknown;
  readonly folderPath?: unknown;
}

/**
 * Gives the files of folders the path that the folders have after the commit, because a move of folders and a write of files do not see
 * each other. Both call it, so the later one finds what the earlier one has left. A failure is only told, because the write is stored.
 */
export const followFolders = (
  places: readonly FilePlace[],
  { store, notices }: Pick<ContentContext, 'store' | 'notices'>,
): Promise<void> =>
  afterCommit(store.database, async () => {
    const ids = [...new Set(places.map(({ folder }) => folder))].filter((id) => typeof id === 'number');
    if (ids.length === 0) return;
    await storePaths(places, ids, { ...store, database: { ...store.database, session: null } }).catch((error: unknown) => {
      const folders = `the folder${ids.length === 1 ? '' : 's'} ${ids.join(', ')} of the media library`;
      notices.logOnce(`files in ${folders} may have a former path, until they are moved again: ${messageOf(error)}`);
    });
  });

/** Gives files of folders with these ids the paths that the folders have. */
async function storePaths(places: readonly FilePlace[], ids: readonly number[], store: Store): Promise<void> {
  const match = { _id: is.oneOf(ids) };
  const folders = await findStored(store.database, collections.folders, { match, fields: ['path'] });
  const paths = new Map(folders.map(({ _id, path }) => [_id as unknown, path as unknown]));
  const moved = places.filter(({ folder, folderPath }) => paths.has(folder) && paths.get(folder) !== folderPath);
  const operations = moved.map(({ folder, folderPath }) =>
    changeMany({ folder, folderPath }, { set: { folderPath: paths.get(folder) } }),
  );
  if (operations.length > 0) await bulkWrite(store, collections.files, operations);
}
