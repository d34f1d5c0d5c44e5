import { readRoles } from '../auth/read-roles.js';
import { type Database, readAll } from '../mongo/database.js';
import type { ContentType } from '../schema/content-type.js';

/** Returns the collections of these types that have entries, by uid. The entries of a fresh database do not count. */
export async function findOccupied(types: readonly ContentType[], database: Database): Promise<ReadonlyMap<string, string>> {
  const roles = await readRoles(database);
  const isFresh = async ({ uid, collection }: ContentType): Promise<boolean> => {
    const max = freshEntries[uid];
    if (max === 'roles') return !roles.areConfigured;
    return (await readAll(database, { find: collection, limit: (max ?? 0) + 1, projection: { _id: 1 } })).length <= (max ?? 0);
  };
  const checked = await Promise.all(types.map(async (type) => ({ type, fresh: await isFresh(type) })));
  return new Map(checked.flatMap(({ type, fresh }) => (fresh ? [] : [[type.uid, type.collection]])));
}

/** Entries that the service itself creates. */
const freshEntries: Readonly<Record<string, number | 'roles'>> = {
  'plugin::users-permissions.role': 'roles',
  'plugin::users-permissions.permission': 'roles',
  'plugin::i18n.locale': 1,
  'plugin::upload.folder': 1,
};

/** Whether the entries of a type are judged together with those of others. */
export const isJudgedWithOthers = ({ uid }: ContentType): boolean => freshEntries[uid] === 'roles';

/** Throws an Error for people if there are such collections. */
export function assertFree(occupied: ReadonlyMap<string, string>): void {
  if (occupied.size === 0) return;
  const names = [...occupied.values()].join(', ');
  throw new Error(`these collections hold entries: ${names}; with --replace the entries of the source take their place`);
}
