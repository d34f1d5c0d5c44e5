import { translating } from '#store/send/driver-errors.js';
import { type Database, inScope } from '#store/send/database.js';
import { readAll } from '#store/send/read-commands.js';
import { insertStagedDocuments, type Insertion } from './insert-staged.js';
import type { HeldLink, StagedLink } from './transferred.js';
import { groupBy } from '#base/values.js';

/** The prefix of collections in which an import stores data before publishing it. Collections of content never begin with `_`. */
const prefix = '_import_';

/** The staging collections of one import. Each import has other names, so that a late write of an abandoned one has no effect. */
export interface StagingArea {
  readonly database: Database;
  readonly links: string;
  readonly blobs: string;
  /** Returns the staging collection whose entries will replace those of a collection. */
  readonly nameOf: (collection: string) => string;
}

/** Returns the staging collections of an import. `run` is the id of the import. */
export function stagedFor(database: Database, run: string): StagingArea {
  const own = `${prefix}${run.slice(0, 8)}_`;
  const nameOf = (collection: string): string => `${own}${collection}`;
  return { database, links: nameOf('-links'), blobs: nameOf('-blobs'), nameOf };
}

/** Creates the staging collections of an import, unless they exist. */
export async function createStaging(staged: StagingArea, collections: readonly string[]): Promise<void> {
  const { db } = staged.database;
  const present = new Set(await stagedCollections(db));
  const names = [staged.links, staged.blobs, ...collections.map(staged.nameOf)].filter((name) => !present.has(name));
  await translating(() => Promise.all(names.map((name) => db.createCollection(name))));
  await translating(() => db.collection(staged.links).createIndex({ holder: 1 }));
}

async function stagedCollections(db: Database['db'], start = prefix): Promise<string[]> {
  const collections = await translating(() =>
    db.listCollections({ name: { $regex: `^${start}` } }, { nameOnly: true }).toArray(),
  );
  return collections.map(({ name }) => name);
}

/** Stores links by their number in the source. */
export const insertLinks = (
  { database, links: collection }: StagingArea,
  links: readonly (readonly [number: number, link: HeldLink])[],
): Promise<Insertion> =>
  insertStagedDocuments(
    database,
    collection,
    links.map(([_id, link]) => ({ _id, ...link })),
  );

/** Drops the links with greater numbers, because another pass over the source may assign these numbers to other links. */
export async function dropLinksBehind({ database, links }: StagingArea, number: number): Promise<void> {
  const collection = database.db.collection<{ _id: number }>(links);
  await translating(() => collection.deleteMany({ _id: { $gt: number } }));
}

/**
 * Returns the links of entries and components by their key, sorted by position, then by number; null if there are more than
 * `max`.
 */
export async function readLinks(
  { database, links: collection }: StagingArea,
  holders: readonly string[],
  max: number,
): Promise<ReadonlyMap<string, readonly StagedLink[]> | null> {
  const sort = { holder: 1, position: 1, _id: 1 };
  const limit = max === Infinity ? {} : { limit: max + 1 };
  const command = { find: collection, filter: { holder: { $in: holders } }, sort, allowDiskUse: true, ...limit };
  const rows = (await readAll(database, command)) as unknown as readonly StagedLink[]; // stored in this form
  return rows.length > max ? null : groupBy(rows, ({ holder }) => holder);
}

/** A file or variant that an import expects, and the state of its bytes. */
export interface ExpectedBlob {
  /** `roots_0a1b2c3d4e.png` */
  readonly _id: string;
  readonly file: number;
  /** The name of the variant; null for the file itself. */
  readonly format: string | null;
  readonly mime: string;
  /** The address in the source. */
  readonly url: string;
  /** The name of the file that this is a variant of. */
  readonly variantOf: string | null;
  /** Whether the bytes are stored. */
  readonly come?: true;
  /** The reason why the bytes are not available. */
  readonly reason?: string;
}

export const insertExpectedBlobs = (
  { database, blobs: collection }: StagingArea,
  blobs: readonly ExpectedBlob[],
): Promise<Insertion> => insertStagedDocuments(database, collection, blobs);

export async function findExpectedBlob({ database, blobs }: StagingArea, name: string): Promise<ExpectedBlob | null> {
  const [found] = await readAll(database, { find: blobs, filter: { _id: name }, limit: 1 });
  return (found ?? null) as ExpectedBlob | null; // stored in this form
}

/** Records that the bytes of a file are stored. Returns false if that was recorded before. */
export async function markCome({ database, blobs: collection }: StagingArea, name: string): Promise<boolean> {
  const blobs = database.db.collection<ExpectedBlob>(collection);
  const missing = { _id: name, come: { $ne: true as const } };
  const { matchedCount } = await translating(() => blobs.updateOne(missing, { $set: { come: true } }, inScope(database)));
  return matchedCount > 0;
}

/** Records the reason why the bytes of a file are not available. */
export async function markUnavailable({ database: { db }, blobs }: StagingArea, name: string, reason: string): Promise<void> {
  await translating(() => db.collection<ExpectedBlob>(blobs).updateOne({ _id: name }, { $set: { reason } }));
}

/** Reads the files and variants whose bytes are not stored. */
export async function* readMissingBlobs({ database: { db }, blobs }: StagingArea): AsyncGenerator<ExpectedBlob> {
  yield* db.collection<ExpectedBlob>(blobs).find({ come: { $ne: true } }, { sort: { _id: 1 } });
}

/** Gives a staged file or variant its address in the source. The name of a variant may contain any character. */
export async function keepAddress({ database: { db }, nameOf }: StagingArea, { file, format, url }: ExpectedBlob): Promise<void> {
  const address = { url: { $literal: url } };
  const place = { field: { $literal: format }, input: '$formats' };
  const formats = { $setField: { ...place, value: { $mergeObjects: [{ $getField: place }, address] } } };
  const files = db.collection<{ _id: number }>(nameOf('files'));
  await translating(() => files.updateOne({ _id: file }, [{ $set: format === null ? address : { formats } }]));
}

/** Counts the documents of a staged collection without its metadata, which may be wrong after a crash of the server. */
export const countStagedDocuments = ({ db }: Database, collection: string): Promise<number> =>
  translating(() => db.collection(collection).countDocuments());

/** Raises counters, by name, above these ids, so that the ids are not allocated again. */
export async function raiseCounters({ db }: Database, highest: ReadonlyMap<string, number>): Promise<void> {
  if (highest.size === 0) return;
  const operations = [...highest].map(([_id, id]) => ({
    updateOne: { filter: { _id }, update: { $max: { next: id + 1 } }, upsert: true },
  }));
  await translating(() => db.collection<{ _id: string }>('_counters').bulkWrite(operations));
}

/** Returns whether a collection has staged entries that have not replaced its own yet. */
export async function isStaged({ database: { db }, nameOf }: StagingArea, collection: string): Promise<boolean> {
  const collections = await translating(() => db.listCollections({ name: nameOf(collection) }, { nameOnly: true }).toArray());
  return collections.length > 0;
}

/** Replaces a collection by its staged one. The server waits for transactions that use either of them. */
export async function publishStagedCollection(
  { database: { db, abandoned }, nameOf }: StagingArea,
  collection: string,
): Promise<void> {
  const rename = () => db.renameCollection(nameOf(collection), collection, { dropTarget: true });
  await translating(() => abandoned.endWhile(rename));
}

/** Drops the staging collection of a collection. */
export async function dropStagedOne({ database: { db, abandoned }, nameOf }: StagingArea, collection: string): Promise<void> {
  await translating(() => abandoned.endWhile(() => db.dropCollection(nameOf(collection))));
}

/**
 * Drops the staging collections of an import, or those of all imports, which only the process that holds the one import may do. The
 * server waits for transactions that use them.
 */
export async function dropStaging({ db, abandoned }: Database, staged?: StagingArea): Promise<void> {
  for (const name of await stagedCollections(db, staged?.nameOf('')))
    await translating(() => abandoned.endWhile(() => db.dropCollection(name)));
}

/** Returns the identities of the staging collections of these collections. One that was dropped and created again has another one. */
export async function identifyStaging(
  { database: { db }, nameOf }: StagingArea,
  collections: readonly string[],
): Promise<string> {
  const infos = await translating(() => db.listCollections({ name: { $in: collections.map(nameOf) } }).toArray());
  return infos
    .map((one) => `${one.name} ${'info' in one ? String(one.info?.uuid) : ''}`)
    .sort()
    .join('\n');
}
