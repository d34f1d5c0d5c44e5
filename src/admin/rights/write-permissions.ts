import { isDeepStrictEqual } from 'node:util';
import type { Database } from '#store/send/database.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import type { Store } from '#store/store.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { collections } from '#model/schema/collections.js';
import type { PermissionInput } from './check-permissions.js';
import { type PanelPermission, permissionOf } from './permission.js';

/** Returns the stored permissions of a role. */
export const permissionsOf = async (role: number, database: Database): Promise<readonly PanelPermission[]> =>
  (await findStored(database, collections.adminPermissions, { match: { role } })).map(permissionOf);

/** Returns those of some permissions that equal none of others. */
export const without = <Permission extends PermissionInput>(
  some: readonly Permission[],
  others: readonly PermissionInput[],
): readonly Permission[] => some.filter((one) => !others.some((other) => isSame(one, other)));

const isSame = (a: PermissionInput, b: PermissionInput): boolean =>
  a.action === b.action &&
  a.subject === b.subject &&
  isDeepStrictEqual(a.properties, b.properties) &&
  isDeepStrictEqual(a.conditions, b.conditions);

/** Replaces the permissions of a role. Equal ones stay with their ids. Returns those that are new. */
export async function setPermissions(
  role: number,
  permissions: readonly PermissionInput[],
  store: Store,
): Promise<readonly PanelPermission[]> {
  const stored = await permissionsOf(role, store.database);
  const gone = without(stored, permissions).map(({ id }) => id);
  if (gone.length > 0)
    await bulkWrite(store, collections.adminPermissions, [{ deleteMany: { filter: { _id: is.oneOf(gone) } } }]);
  return insertPermissions(without(permissions, stored), role, store);
}

async function insertPermissions(inputs: readonly PermissionInput[], role: number, store: Store) {
  if (inputs.length === 0) return [];
  const ids = await store.ids.next(collections.adminPermissions, inputs.length, { ...store.database, session: null });
  const now = new Date();
  const documents = inputs.map((input, index) => ({
    ...{ _id: ids[index] ?? 0, ...input, actionParameters: {} },
    ...{ role, createdAt: now, updatedAt: now },
  }));
  await bulkWrite(
    store,
    collections.adminPermissions,
    documents.map((document) => ({ insertOne: { document } })),
  );
  return documents.map(permissionOf);
}
