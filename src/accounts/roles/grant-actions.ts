import { collections } from '#model/schema/collections.js';
import { grantsVersion, replaceAction, uploadAction } from '#content/rights/known-actions.js';
import { changeMany } from '#store/write/compile-change.js';
import { linkRanks } from '#store/form/layout.js';
import { is } from '#store/form/matches.js';
import type { Store } from '#store/store.js';
import { removeModel } from '#store/stores/model-store.js';
import { findStored, isStored } from '#store/stored.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { inTransaction } from '#store/send/transaction.js';

const collection = collections.permissions;

/** Replaces the actions of a role, within the transaction of the store, if there is one. */
export async function setActions(role: number, actions: readonly string[], store: Store): Promise<void> {
  const revoked = (await storedActions(role, store)).filter((action) => !actions.includes(action));
  await revokeActions(role, revoked, store);
  await grantActions(role, actions, store);
}

/** Grants further actions to a role. */
export async function grantActions(role: number, actions: readonly string[], store: Store): Promise<void> {
  const stored = new Set(await storedActions(role, store));
  const added = [...new Set(actions)].filter((action) => !stored.has(action));
  const numbers = await store.ids.next(collection, added.length, { ...store.database, session: null });
  const now = new Date();
  const operations = added.map((action, index) => {
    const _id = numbers[index] ?? 0;
    return {
      insertOne: { document: { _id, action, role, createdAt: now, updatedAt: now, ...linkRanks.initial({ role: _id }) } },
    };
  });
  await bulkWrite(store, collection, operations);
}

/** Revokes actions of a role. */
export async function revokeActions(role: number, actions: readonly string[], store: Store): Promise<void> {
  if (actions.length === 0) return;
  await bulkWrite(store, collection, [{ deleteMany: { filter: { role, action: is.oneOf(actions) } } }]);
}

/** Removes a model, and all rights on it, together. Its entries stay. Returns false if there was none. */
export const removeType = (uid: string, store: Store): Promise<boolean> =>
  inTransaction(store.database, async (database) => {
    if (!(await removeModel(database, uid))) return false;
    await revokeType(uid, { ...store, database });
    return true;
  });

/**
 * Revokes all actions on a type from all roles, custom tokens and administrators. Otherwise a later type of the same uid would inherit
 * them.
 */
async function revokeType(uid: string, store: Store): Promise<void> {
  const actions = is.startingWith(`${uid}.`); // also those of features
  await bulkWrite(store, collection, [{ deleteMany: { filter: { action: actions } } }]);
  await bulkWrite(store, collections.adminPermissions, [{ deleteMany: { filter: { subject: is.exactly(uid) } } }]);
  await bulkWrite(store, collections.tokens, [changeMany({ permissions: actions }, { take: { permissions: actions } })]);
}

/** Returns the actions that are granted to a role. */
export async function storedActions(role: number, store: Store): Promise<string[]> {
  const rows = await findStored(store.database, collection, { match: { role }, fields: ['action'] });
  return rows.map(({ action }) => String(action));
}

/** Matches roles and tokens that were stored by an older version or another program. */
const former = { _grants: is.absent };
const upgraded = { _grants: grantsVersion };

/**
 * Grants the action to replace files to the roles and tokens that may upload files; in older versions that action included it.
 * Each one is upgraded only once, at the next start, so that the action can be revoked later. Instances that start at the same
 * time do it once.
 */
export async function upgradeGrants(store: Store): Promise<void> {
  const { database } = store;
  if (await isStored(database, collections.roles, former))
    await inTransaction(database, (inner) => upgradeRoles({ ...store, database: inner }));
  if (await isStored(database, collections.tokens, former)) await upgradeTokens(store);
}

async function upgradeRoles(store: Store): Promise<void> {
  const roles = await findStored(store.database, collections.roles, { match: former, fields: ['_id'] });
  const ids = roles.map(({ _id }) => Number(_id));
  const filter = { role: is.oneOf(ids), action: uploadAction };
  const granted = await findStored(store.database, collections.permissions, { match: filter, fields: ['role'] });
  for (const role of new Set(granted.map((row) => Number(row['role'])))) await grantActions(role, [replaceAction], store);
  // One instance writes this. The other instances get a write conflict, retry, and find nothing to do.
  await bulkWrite(store, collections.roles, [changeMany({ _id: is.oneOf(ids), ...former }, { set: upgraded })]);
}

const upgradeTokens = (store: Store): Promise<number> =>
  bulkWrite(store, collections.tokens, [
    changeMany({ ...former, permissions: uploadAction }, { add: { permissions: replaceAction }, set: upgraded }),
    changeMany(former, { set: upgraded }),
  ]);
