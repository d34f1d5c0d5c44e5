import type { ContentContext } from '#content/content-context.js';
import type { Document } from '#store/send/database.js';
import { is } from '#store/form/matches.js';
import { findFirst, findStored } from '#store/stored.js';
import { collections } from '#model/schema/collections.js';
import { groupBy } from '#base/values.js';

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
  const match = ids === null ? {} : { _id: is.oneOf(ids) };
  return (await findStored(store.database, collections.folders, { match, sort: { _id: 1 } })).map(folderOf);
}

/** Returns the ids of a folder and of all folders above it; none for the top. */
export async function idsUpFrom(folder: Folder | null, content: ContentContext): Promise<ReadonlySet<number>> {
  if (folder === null) return new Set();
  const parents = new Map((await findFolders(null, content)).map(({ id, parent }) => [id, parent]));
  const ids = new Set<number>();
  for (let id: number | null = folder.id; id !== null && !ids.has(id); id = parents.get(id) ?? null) ids.add(id);
  return ids;
}

/** Returns some folders with all that are below them, which their parents say. `all` are all folders. */
export function foldersWithin(tops: readonly Folder[], all: readonly Folder[]): readonly Folder[] {
  const below = groupBy(all, ({ parent }) => parent);
  const within = new Map(tops.map((folder) => [folder.id, folder]));
  for (const id of within.keys()) for (const child of below.get(id) ?? []) within.set(child.id, child);
  return [...within.values()];
}

/**
 * Returns the path of each folder by its id: the path of its parent, and its own number. Folders that no way from the top leads to
 * have none.
 */
export function pathsByParents(all: readonly Folder[]): ReadonlyMap<number, string> {
  const below = groupBy(all, ({ parent }) => parent);
  const paths = new Map<number, string>();
  const place = (parent: number | null): void => {
    const above = parent === null ? '' : (paths.get(parent) ?? '');
    for (const { id, pathId } of below.get(parent) ?? []) paths.set(id, `${above}/${String(pathId)}`);
  };
  place(null);
  for (const id of paths.keys()) place(id);
  return paths;
}

/** Returns whether a folder other than `except` has a name below a parent. */
export async function isNameTaken(
  { name, parent }: Pick<Folder, 'name' | 'parent'>,
  { store }: ContentContext,
  except = 0,
): Promise<boolean> {
  const documents = await findStored(store.database, collections.folders, { match: { name, parent }, limit: 2 });
  return documents.some(({ _id }) => _id !== except);
}
