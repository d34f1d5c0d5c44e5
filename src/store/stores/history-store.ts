import { collections } from '#model/schema/collections.js';
import type { Values } from '#base/values.js';
import type { Author, EntryAction } from '../changes/entry-events.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import type { OwnCollection } from '../send/ensure-collections.js';
import { findStored } from '../stored.js';

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

/** How long versions are kept. */
interface Retention {
  readonly versions: number;
  readonly days: number;
}

export const historyCollection: OwnCollection = {
  name: collections.history,
  indexes: [
    { key: { uid: 1, of: 1, version: -1 }, name: 'version', unique: true },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
};

const day = 86_400_000;

/** Returns the number of the newest version of an entry; 0 if there is none. */
export async function newestVersion(database: Database, { uid, id }: Owner): Promise<number> {
  const page = { match: { uid, of: id }, fields: ['version'], sort: { version: -1 }, limit: 1 } as const;
  const [newest] = await findStored(database, collections.history, page);
  return Number(newest?.['version'] ?? 0);
}

/** Stores a version in the transaction of the database, and deletes those that are too many. */
export async function storeVersion(database: Database, { uid, id }: Owner, version: Version, keep: Retention): Promise<void> {
  const versions = database.db.collection(collections.history);
  const expiresAt = new Date(version.at.getTime() + keep.days * day);
  const options = inScope(database);
  await inWriteTime(database, () => versions.insertOne({ uid, of: id, ...version, expiresAt }, options));
  const oldest = version.version - keep.versions;
  if (oldest > 0) await inWriteTime(database, () => versions.deleteMany({ uid, of: id, version: { $lte: oldest } }, options));
}

/** Returns the versions of an entry without the entry itself, the newest first. */
export const listVersions = async (database: Database, { uid, id }: Owner): Promise<readonly Omit<Version, 'entry'>[]> =>
  (
    await findStored(database, collections.history, {
      match: { uid, of: id },
      fields: ['version', 'at', 'by', 'action'],
      sort: { version: -1 },
    })
  ).map(({ version, at, by, action }) => ({ version, at, by, action }) as Omit<Version, 'entry'>); // stored in this form

/** Returns a version without what only its restore needs. */
export const shownVersion = ({ version, at, by, action, entry }: Version) => ({ version, at, by, action, entry });

/** Returns a version of an entry; null if it is not kept. */
export async function findVersion(database: Database, { uid, id }: Owner, version: number): Promise<Version | null> {
  const [found] = await findStored(database, collections.history, { match: { uid, of: id, version }, limit: 1 });
  if (found === undefined) return null;
  const { at, by, action, entry, targets } = found as unknown as Version; // stored in this form
  return { version, at, by, action, entry, targets };
}
