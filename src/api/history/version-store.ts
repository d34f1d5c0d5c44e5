import { collections } from '#model/schema/collections.js';
import type { Values } from '#base/values.js';
import type { Author, EntryAction } from '#store/changes/entry-events.js';
import { is } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';
import type { Retention } from './history-option.js';

/** An entry after a write, or before it was deleted. */
export interface Version {
  /** Counts from 1 for each entry. */
  readonly version: number;
  readonly at: Date;
  /** Null if code of the project or the service itself has written. */
  readonly by: Author;
  /** `keep`: the entry was stored before its versions were kept, and is kept as it was before its first further write. */
  readonly action: EntryAction | 'keep';
  readonly entry: Values;
  /** The types that relations led to, by uid of type or component and attribute; absent in versions of older services. */
  readonly targets?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** The entry that versions belong to. */
interface Owner {
  readonly uid: string;
  readonly id: number;
}

interface StoredVersion extends Version {
  readonly uid: string;
  readonly of: number;
  readonly expiresAt: Date;
}

const versions = ownRows<StoredVersion>(collections.history);

const day = 86_400_000;

/** Returns the number of the newest version of an entry; 0 if there is none. */
export async function newestVersion(database: Database, { uid, id }: Owner): Promise<number> {
  const page = { match: { uid, of: id }, fields: ['version'], sort: { version: -1 }, limit: 1 } as const;
  const [newest] = await versions.find(database, page);
  return newest?.version ?? 0;
}

/** Stores a version in the transaction of the database, and deletes those that are too many. */
export async function storeVersion(database: Database, { uid, id }: Owner, version: Version, keep: Retention): Promise<void> {
  const expiresAt = new Date(version.at.getTime() + keep.days * day);
  await versions.put(database, { uid, of: id, ...version, expiresAt });
  const oldest = version.version - keep.versions;
  if (oldest > 0) await versions.remove(database, { uid, of: id, version: is.below(oldest + 1) });
}

/** Returns a page of the versions of an entry without the entry itself, the newest first. */
export async function listVersions(
  database: Database,
  { uid, id }: Owner,
  page: { readonly skip: number; readonly limit: number },
): Promise<readonly Omit<Version, 'entry'>[]> {
  const fields = ['version', 'at', 'by', 'action'];
  const rows = await versions.find(database, { match: { uid, of: id }, fields, sort: { version: -1 }, ...page });
  return rows.map(({ version, at, by, action }) => ({ version, at, by, action }));
}

/** Returns a version without what only its restore needs. */
export const shownVersion = ({ version, at, by, action, entry }: Version) => ({ version, at, by, action, entry });

/** Returns a version of an entry; null if it is not kept. */
export async function findVersion(database: Database, { uid, id }: Owner, version: number): Promise<Version | null> {
  const [found] = await versions.find(database, { match: { uid, of: id, version }, limit: 1 });
  if (found === undefined) return null;
  const { at, by, action, entry, targets } = found;
  return { version, at, by, action, entry, targets };
}
