import { collections } from '../../schema/collections.js';
import { grantsVersion, replaceAction, uploadAction } from '../../auth/known-actions.js';
import { changeMany } from '../../mongo/write/compile-change.js';
import { absent, oneOf } from '../../mongo/matches.js';
import { readAll, type Database } from '../../mongo/database.js';
import type { Store } from '../../mongo/store.js';
import { inTransaction } from '../../mongo/transaction.js';
import { bulkWrite } from '../../mongo/write/write-entries.js';
import { grantActions } from './grant-actions.js';

/** Roles and tokens that were stored before, or by something else than this service. */
const former = { _grants: absent };
const upgraded = { _grants: grantsVersion };

/**
 * Grants the replacing of files to the roles and tokens that had it with the right to upload. Each is upgraded once, at the next
 * start, so that it can be revoked; instances that start at the same time do it once.
 */
export async function upgradeGrants(store: Store): Promise<void> {
  const { database } = store;
  if (await exists(collections.roles, database))
    await inTransaction(database, (inner) => upgradeRoles({ ...store, database: inner }));
  if (await exists(collections.tokens, database)) await upgradeTokens(store);
}

const exists = async (collection: string, database: Database): Promise<boolean> =>
  (await readAll(database, { find: collection, filter: former, projection: { _id: 1 }, limit: 1 })).length > 0;

async function upgradeRoles(store: Store): Promise<void> {
  const roles = await readAll(store.database, {
    find: collections.roles,
    filter: former,
    projection: { _id: 1 },
    batchSize: 100_000,
  });
  const ids = roles.map(({ _id }) => Number(_id));
  const filter = { role: oneOf(ids), action: uploadAction };
  const granted = await readAll(store.database, {
    find: collections.permissions,
    filter,
    projection: { role: 1 },
    batchSize: 100_000,
  });
  for (const role of new Set(granted.map((row) => Number(row['role'])))) await grantActions(role, [replaceAction], { store });
  // Of several instances one stores this; the others meet the write, look again and find nothing to do.
  await bulkWrite(store, collections.roles, [changeMany({ _id: oneOf(ids), ...former }, { set: upgraded })]);
}

const upgradeTokens = (store: Store): Promise<number> =>
  bulkWrite(store, collections.tokens, [
    changeMany({ ...former, permissions: uploadAction }, { add: { permissions: replaceAction }, set: upgraded }),
    changeMany(former, { set: upgraded }),
  ]);
