import type { ContentContext } from '../../content/content-context.js';
import type { Document } from '../../mongo/send/database.js';
import { oneOf } from '../../mongo/form/matches.js';
import { findFirst, findStored } from '../../mongo/stored.js';
import { collections } from '../../schema/collections.js';

/** A folder of the media library. */
export interface Folder {
  readonly id: number;
  readonly name: string;
  /** The number of the folder in paths. */
  readonly pathId: number;
  /** The numbers of the folders above and of the folder itself, such as `/2/3`. */
  readonly path: string;
  /** The id of the folder above; null at the top. */
  readonly parent: number | null;
  readonly createdAt: unknown;
  readonly updatedAt: unknown;
}

const folderOf = (document: Document): Folder => ({
  id: Number(document['_id']),
  name: String(document['name']),
  pathId: Number(document['pathId']),
  path: String(document['path']),
  parent: typeof document['parent'] === 'number' ? document['parent'] : null,
  createdAt: document['createdAt'],
  updatedAt: document['updatedAt'],
});

/** Returns a folder without its parent, as most answers show it. */
export const shownFolder = ({ id, name, pathId, path, createdAt, updatedAt }: Folder) => ({
  ...{ id, name, pathId, path },
  ...{ createdAt, updatedAt },
});

/** Returns a folder; null if there is none of the id. */
export async function findFolder(id: number, { store }: ContentContext): Promise<Folder | null> {
  const document = await findFirst(store.database, collections.folders, { _id: id });
  return document === null ? null : folderOf(document);
}

/** Returns the folders of ids, in the order of the ids; all folders without ids. */
export async function findFolders(ids: readonly number[] | null, { store }: ContentContext): Promise<readonly Folder[]> {
  const match = ids === null ? {} : { _id: oneOf(ids) };
  return (await findStored(store.database, collections.folders, { match, sort: { _id: 1 } })).map(folderOf);
}

/** Returns whether a folder is another one, or below it. */
export const isWithin = ({ path }: Pick<Folder, 'path'>, above: Pick<Folder, 'path'>): boolean =>
  path === above.path || path.startsWith(`${above.path}/`);

/** Returns whether a folder other than `except` has a name below a parent. */
export async function isNameTaken(
  { name, parent }: Pick<Folder, 'name' | 'parent'>,
  { store }: ContentContext,
  except = 0,
): Promise<boolean> {
  const found = await findStored(store.database, collections.folders, { match: { name, parent }, limit: 2 });
  return found.some(({ _id }) => _id !== except);
}
