import { collections } from '#model/schema/collections.js';
import { insertIfAbsent } from '#store/write/compile-change.js';
import { linkRanks } from '#store/form/layout.js';
import type { Document } from '#store/send/database.js';
import { isStored } from '#store/stored.js';
import type { Store } from '#store/store.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { grantsVersion } from './known-actions.js';

const auth = (action: string): string => `plugin::users-permissions.auth.${action}`;

/** Actions of the two built-in roles in a new database, by role type, in the order of Strapi v4. */
export const defaultGrants: Readonly<Record<string, readonly string[]>> = {
  authenticated: ['plugin::users-permissions.user.me', auth('changePassword')],
  public: [
    auth('callback'),
    auth('connect'),
    auth('forgotPassword'),
    auth('resetPassword'),
    auth('register'),
    auth('emailConfirmation'),
    auth('sendEmailConfirmation'),
  ],
};

/** The built-in roles. The id of a role is its index plus one. */
export const builtinRoles = [
  { type: 'authenticated', name: 'Authenticated', description: 'Default role given to authenticated user.' },
  { type: 'public', name: 'Public', description: 'Default role given to unauthenticated user.' },
] as const;

/**
 * Creates the built-in roles if there are no roles, and then their grants if there are no grants. The ids are fixed, so that
 * instances that start at the same time create them only once.
 */
export async function createDefaultRoles(store: Store): Promise<void> {
  if (await isStored(store.database, collections.roles)) return;
  const now = new Date();
  const stamps = { createdAt: now, updatedAt: now };
  await insertMissing(
    store,
    collections.roles,
    builtinRoles.map((role) => ({ ...role, ...stamps, _grants: grantsVersion })),
  );
  if (await isStored(store.database, collections.permissions)) return;
  const grants = builtinRoles.flatMap(({ type }, index) =>
    (defaultGrants[type] ?? []).map((action) => ({ action, role: index + 1, ...stamps })),
  );
  await insertMissing(
    store,
    collections.permissions,
    grants.map((grant, index) => ({ ...grant, ...linkRanks.initial({ role: index + 1 }) })),
  );
}

/** Assigns the ids 1, 2, ... to the documents and stores the missing ones. */
async function insertMissing(store: Store, collection: string, documents: readonly Document[]): Promise<void> {
  const operations = documents.map((document, index) => insertIfAbsent({ _id: index + 1 }, document));
  await bulkWrite(store, collection, operations);
}
