import { readRoles } from '../auth/read-roles.js';
import type { Database } from '../mongo/send/database.js';
import { findStored } from '../mongo/stored.js';
import { listBackedUp } from '../mongo/transfer/backed-up.js';
import { collections } from '../schema/collections.js';

/** What a service itself keeps account of. A restore merges it with what is stored. */
export const accounts: ReadonlySet<string> = new Set([
  ...[collections.models, collections.settings, collections.servedCollections, collections.counters, collections.codeStore],
  collections.audit,
]);

/** What depends on the content of other collections, and is replaced together with them. */
const derived: ReadonlySet<string> = new Set([
  ...[collections.searches, collections.required, collections.keys, collections.refreshTokens],
  ...[collections.adminRoles, collections.adminPermissions],
]);

/** Maximum number of documents that a service itself creates in a new database. */
const freshDocuments: Readonly<Record<string, number>> = { [collections.locales]: 1, [collections.folders]: 1 };

const roles: ReadonlySet<string> = new Set([collections.roles, collections.permissions]);

/** Returns whether a collection has content, apart from roles, which count only all together. */
async function hasContent(database: Database, name: string): Promise<boolean> {
  if (accounts.has(name) || derived.has(name) || roles.has(name)) return false;
  const most = freshDocuments[name] ?? 0;
  return (await findStored(database, name, { fields: ['_id'], limit: most + 1 })).length > most;
}

/** Throws an Error with a message for the user if somebody has stored content in a collection since the database was empty. */
export async function assertStillEmpty(database: Database, name: string): Promise<void> {
  if (await hasContent(database, name))
    throw new Error(
      `${name} has got content while the backup was restored, and is left as it is: empty it and run the same restore again, or discard the restore with npx mangrove import --abandon`,
    );
}

/** Returns the collections of a database that have content. That of a new database, and models, do not count. */
async function occupiedCollections(database: Database): Promise<readonly string[]> {
  const { areConfigured } = await readRoles(database);
  const isOccupied = async (name: string): Promise<boolean> => (roles.has(name) ? areConfigured : hasContent(database, name));
  const names = (await listBackedUp(database)).map(({ name }) => name);
  const found = await Promise.all(names.map(async (name) => ((await isOccupied(name)) ? [name] : [])));
  return found.flat();
}

/** Throws an Error with a message for the user if a database has content. */
export async function assertEmpty(database: Database): Promise<void> {
  const names = await occupiedCollections(database);
  if (names.length === 0) return;
  const shown = `${names.slice(0, mostShown).join(', ')}${names.length > mostShown ? ', …' : ''}`;
  throw new Error(
    `the database has content (${shown}): nothing is restored; --conflict skip keeps what is stored, --conflict replace replaces it`,
  );
}

const mostShown = 10;
