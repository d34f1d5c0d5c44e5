import { readRoles } from '#content/rights/role.js';
import type { Database } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { collections } from '#model/schema/collections.js';
import type { ContentType } from '#model/schema/content-type.js';

/** Maximum number of documents that a service itself creates in a new database. */
const freshDocuments: ReadonlyMap<string, number> = new Map([
  [collections.locales, 1],
  [collections.folders, 1],
]);

const ofRoles: ReadonlySet<string> = new Set([collections.roles, collections.permissions]);

/** Returns whether a collection belongs to the roles, which are content only if they are configured, all of them together. */
export const isOfRoles = (collection: string): boolean => ofRoles.has(collection);

/** Returns whether a collection has content, apart from roles. That of a new database does not count. */
export async function hasContent(collection: string, database: Database): Promise<boolean> {
  const most = freshDocuments.get(collection) ?? 0;
  return !isOfRoles(collection) && (await findStored(database, collection, { fields: ['_id'], limit: most + 1 })).length > most;
}

/** Returns the collections that have content, with what is known of them. */
export async function findOccupied<Place extends Pick<ContentType, 'collection'>>(
  places: readonly Place[],
  database: Database,
): Promise<readonly Place[]> {
  const { areConfigured } = await readRoles(database);
  const checks = places.map(({ collection }) => (isOfRoles(collection) ? areConfigured : hasContent(collection, database)));
  const found = await Promise.all(checks);
  return places.filter((_, index) => found[index]);
}

/** Throws an Error with a message for the user if there are occupied collections. */
export function assertFree(occupied: readonly Pick<ContentType, 'collection'>[]): void {
  if (occupied.length === 0) return;
  const names = occupied.map(({ collection }) => collection).join(', ');
  throw new Error(`these collections have entries: ${names}; --replace replaces them with those of the source`);
}
