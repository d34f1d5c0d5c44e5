import { collections } from '../schema/collections.js';
import { makeOnce } from '../mongo/write/compile-change.js';
import { initialRanks } from '../mongo/layout.js';
import { type Document, readAll } from '../mongo/database.js';
import type { Store } from '../mongo/store.js';
import { bulkWrite } from '../mongo/write/write-entries.js';
import { grantsVersion } from './known-actions.js';
import { builtinRoles, defaultGrants } from './default-grants.js';

/**
 * Creates the two built-in roles where there is no role yet, and their grants where there is no grant. Instances that start at
 * the same time do it once: the ids are fixed.
 */
export async function createDefaultRoles(store: Store): Promise<void> {
  if (!(await isEmpty(store, collections.roles))) return;
  const now = new Date();
  const stamps = { createdAt: now, updatedAt: now };
  await insertMissing(
    store,
    collections.roles,
    builtinRoles.map((role) => ({ ...role, ...stamps, _grants: grantsVersion })),
  );
  if (!(await isEmpty(store, collections.permissions))) return;
  const grants = builtinRoles.flatMap(({ type }, index) =>
    (defaultGrants[type] ?? []).map((action) => ({ action, role: index + 1, ...stamps })),
  );
  await insertMissing(
    store,
    collections.permissions,
    grants.map((grant, index) => ({ ...grant, ...initialRanks({ role: index + 1 }) })),
  );
}

async function isEmpty({ database }: Store, collection: string): Promise<boolean> {
  return (await readAll(database, { find: collection, limit: 1, projection: { _id: 1 } })).length === 0;
}

/** Gives the documents the ids 1, 2, ... and stores those that are not there. */
async function insertMissing(store: Store, collection: string, documents: readonly Document[]): Promise<void> {
  const operations = documents.map((document, index) => makeOnce({ _id: index + 1 }, document));
  await bulkWrite(store, collection, operations);
}
