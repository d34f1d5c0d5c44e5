import type { Author } from '#store/changes/entry-events.js';
import type { StoredDocument } from '#store/form/loaded.js';
import { is, type Match } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { findByPart } from '#store/stored.js';
import type { FormerTargets } from '#store/write/fit-document.js';
import type { FormerLinks } from '#store/write/former-links.js';
import { ownRows } from '#store/write/own-rows.js';
import { trashCollection, trashLinksCollection } from './declaration.js';

/** A deleted entry. */
export interface DeletedEntry {
  readonly uid: string;
  /** The id of the entry. */
  readonly of: number;
  readonly at: Date;
  /** Null if code of the project or the service itself has deleted it. */
  readonly by: Author;
  /** The document as it was stored, without the fields that follow from its attributes. */
  readonly document: StoredDocument;
  /** The types that its relations led to. */
  readonly targets: FormerTargets;
  /** The number of its localization group; absent if its type was not localized. */
  readonly group?: number;
  readonly expiresAt: Date;
}

type DeletedRow = DeletedEntry & { readonly _id: unknown };

interface LinksRow extends FormerLinks {
  /** The `_id` of the deleted entry. */
  readonly trash: unknown;
  readonly expiresAt: Date;
}

const entries = ownRows<DeletedEntry>(trashCollection);
const linksTo = ownRows<LinksRow>(trashLinksCollection);

/** Stores a deleted entry and the links to it, in the transaction of the database. */
export async function storeDeletedEntry(database: Database, entry: DeletedEntry, links: readonly FormerLinks[]): Promise<void> {
  const trash = await entries.put(database, entry);
  for (const former of links) await linksTo.put(database, { trash, ...former, expiresAt: entry.expiresAt });
}

interface Page {
  /** The match of the documents of the entries. */
  readonly part: Match;
  readonly skip: number;
  readonly limit: number;
}

const newestFirst = { at: -1, _id: -1 } as const;

/** Returns deleted entries of a type, the newest first. */
export const listDeletedEntries = (database: Database, uid: string, page: Page): Promise<readonly DeletedRow[]> =>
  read(database, { uid }, page);

/** Returns the entry of an id that was deleted last, if its document meets a match; otherwise null. */
export const findDeletedEntry = async (
  database: Database,
  uid: string,
  of: number,
  part: Match = {},
): Promise<DeletedRow | null> => {
  const [newest] = await read(database, { uid, of }, { part: {}, skip: 0, limit: 1 });
  if (newest === undefined || Object.keys(part).length === 0) return newest ?? null;
  return (await read(database, { _id: newest._id }, { part, skip: 0, limit: 1 }))[0] ?? null;
};

const read = async (database: Database, match: Match, page: Page): Promise<readonly DeletedRow[]> =>
  (await findByPart(database, trashCollection, {
    match,
    sort: newestFirst,
    field: 'document',
    ...page,
  })) as unknown as readonly DeletedRow[]; // stored in this form

/** Returns the links that other entries stored to a deleted entry. */
export const linksToDeletedEntry = (database: Database, { _id: trash }: DeletedRow): Promise<readonly FormerLinks[]> =>
  linksTo.find(database, { match: { trash } });

/** Removes a deleted entry for ever. Returns false if another request was faster. */
export async function removeDeletedEntry(database: Database, { _id }: DeletedRow): Promise<boolean> {
  if ((await entries.take(database, { _id })) === null) return false;
  await linksTo.remove(database, { trash: _id });
  return true;
}

/**
 * Marks the other deleted localizations of an entry, so that of two that are restored at the same time one waits for the other.
 */
export async function markGroup(database: Database, { _id, uid, group }: DeletedRow): Promise<void> {
  if (group === undefined) return;
  await entries.change(database, { group, uid, _id: is.otherThan(_id) }, { increase: { marks: 1 } });
}
