import { readRoles } from '../auth/read-roles.js';
import type { Database } from '../mongo/send/database.js';
import { findStored } from '../mongo/stored.js';
import type { ContentType } from '../schema/content-type.js';

/** Returns the collections of types that have entries, by uid. The entries of a new database do not count. */
export async function findOccupied(types: readonly ContentType[], database: Database): Promise<ReadonlyMap<string, string>> {
  const roles = await readRoles(database);
  const isFresh = async ({ uid, collection }: ContentType): Promise<boolean> => {
    const max = freshEntries[uid];
    if (max === 'roles') return !roles.areConfigured;
    return (await findStored(database, collection, { fields: ['_id'], limit: (max ?? 0) + 1 })).length <= (max ?? 0);
  };
  const checked = await Promise.all(types.map(async (type) => ({ type, fresh: await isFresh(type) })));
  return new Map(checked.flatMap(({ type, fresh }) => (fresh ? [] : [[type.uid, type.collection]])));
}

/** Maximum number of entries that the service itself creates; `roles` if the roles decide. */
const freshEntries: Readonly<Record<string, number | 'roles'>> = {
  'plugin::users-permissions.role': 'roles',
  'plugin::users-permissions.permission': 'roles',
  'plugin::i18n.locale': 1,
  'plugin::upload.folder': 1,
};

/** Returns whether the roles decide if a type has entries. */
export const isJudgedWithOthers = ({ uid }: ContentType): boolean => freshEntries[uid] === 'roles';

/** Throws an Error with a message for the user if there are occupied collections. */
export function assertFree(occupied: ReadonlyMap<string, string>): void {
  if (occupied.size === 0) return;
  const names = [...occupied.values()].join(', ');
  throw new Error(`these collections have entries: ${names}; --replace replaces them with those of the source`);
}
