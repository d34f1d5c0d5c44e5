import type { AnyBulkWriteOperation, Document } from 'mongodb';
import { type Database, inSession, readAll, translating } from '../database.js';
import type { HeldLink } from './transferred.js';

/** Where an import keeps what nobody may see yet. Collections of content never begin with `_`. */
const prefix = '_import_';
const linksCollection = `${prefix}-links`;
const blobsCollection = `${prefix}-blobs`;
export const tokensCollection = `${prefix}-tokens`;

/** The collection in which the entries of another are gathered before they take its place. */
export const stagedName = (collection: string): string => `${prefix}${collection}`;

/** Makes the collections that an import gathers in, those that are there already included. */
export async function createStaged({ db }: Database, collections: readonly string[]): Promise<void> {
  const present = new Set(await stagedCollections(db));
  const wanted = [linksCollection, blobsCollection, ...collections.map(stagedName)].filter((name) => !present.has(name));
  await translating(() => Promise.all(wanted.map((name) => db.createCollection(name))));
  await translating(() => db.collection(linksCollection).createIndex({ holder: 1 }));
}

async function stagedCollections(db: Database['db']): Promise<string[]> {
  const found = await translating(() => db.listCollections({ name: { $regex: `^${prefix}` } }, { nameOnly: true }).toArray());
  return found.map(({ name }) => name);
}

/** Stores documents. Those whose id is there already stay as they are: a batch may come twice. Returns how many are new. */
export async function insertStaged(
  { db, maxTimeMS }: Database,
  collection: string,
  documents: readonly Document[],
): Promise<number> {
  if (documents.length === 0) return 0;
  const command = { insert: collection, documents, ordered: false, maxTimeMS: maxTimeMS.write, writeConcern: { w: 1 } };
  const reply = await translating(() => db.command(command, { ignoreUndefined: true }));
  const failures = (reply['writeErrors'] ?? []) as readonly Document[]; // the form of every reply to an insert
  const [failure] = failures.filter(({ code }) => code !== 11000);
  if (failure !== undefined) throw new Error(String(failure['errmsg']));
  return Number(reply['n']);
}

/** Stores links by their number in the source. */
export const insertLinks = (database: Database, links: readonly (readonly [number: number, link: HeldLink])[]): Promise<number> =>
  insertStaged(
    database,
    linksCollection,
    links.map(([_id, link]) => ({ _id, ...link })),
  );

/** Returns the links of entries and components by their key, in their order: by position, then as they came. */
export async function readLinks(
  database: Database,
  holders: readonly string[],
): Promise<ReadonlyMap<string, readonly HeldLink[]>> {
  const sort = { holder: 1, position: 1, _id: 1 };
  const rows = await readAll(database, { find: linksCollection, filter: { holder: { $in: holders } }, sort, allowDiskUse: true });
  const links = new Map<string, HeldLink[]>();
  for (const row of rows as unknown as readonly HeldLink[]) {
    // stored in this form
    const known = links.get(row.holder);
    if (known === undefined) links.set(row.holder, [row]);
    else known.push(row);
  }
  return links;
}

/** A stored file or variant that an import expects: where it belongs, and what became of its bytes. */
export interface ExpectedBlob {
  /** `roots_0a1b2c3d4e.png` */
  readonly _id: string;
  readonly file: number;
  /** The name of the variant; null: the file itself. */
  readonly format: string | null;
  readonly mime: string;
  /** Where the source had it. */
  readonly url: string;
  /** The name of the file that this is a variant of. */
  readonly variantOf: string | null;
  /** Whether the bytes are stored. */
  readonly come?: true;
}

export const insertExpected = (database: Database, blobs: readonly ExpectedBlob[]): Promise<number> =>
  insertStaged(database, blobsCollection, blobs);

export async function findExpected(database: Database, name: string): Promise<ExpectedBlob | null> {
  const [found] = await readAll(database, { find: blobsCollection, filter: { _id: name }, limit: 1 });
  return (found ?? null) as ExpectedBlob | null; // stored in this form
}

/** Notes that the bytes of a file have come. */
export async function markCome({ db, session }: Database, name: string): Promise<void> {
  const blobs = db.collection<ExpectedBlob>(blobsCollection);
  await translating(() => blobs.updateOne({ _id: name }, { $set: { come: true } }, inSession(session)));
}

/** The files and variants whose bytes have not come. */
export async function* readMissing({ db }: Database): AsyncGenerator<ExpectedBlob> {
  yield* db.collection<ExpectedBlob>(blobsCollection).find({ come: { $ne: true } }, { sort: { _id: 1 } });
}

/** Writes to the documents of a staged collection. */
export async function writeStaged({ db }: Database, collection: string, operations: readonly Document[]): Promise<void> {
  if (operations.length === 0) return;
  const writes = operations as readonly AnyBulkWriteOperation[]; // the driver's form
  await translating(() => db.collection(collection).bulkWrite(writes));
}

/** Counts documents, by the metadata of the collection. */
export const countStaged = ({ db }: Database, collection: string): Promise<number> =>
  translating(() => db.collection(collection).estimatedDocumentCount());

/** Lets no id up to these be given out again, by name of the counter. */
export async function raiseCounters({ db }: Database, highest: ReadonlyMap<string, number>): Promise<void> {
  if (highest.size === 0) return;
  const operations = [...highest].map(([_id, id]) => ({
    updateOne: { filter: { _id }, update: { $max: { next: id + 1 } }, upsert: true },
  }));
  await translating(() => db.collection<{ _id: string }>('_counters').bulkWrite(operations));
}

/** Puts staged collections in the place of the others, each whole. Leaves out those for which that was done. */
export async function publishStaged({ db }: Database, collections: readonly string[]): Promise<void> {
  const staged = new Set(await stagedCollections(db));
  for (const collection of collections.filter((name) => staged.has(stagedName(name))))
    await translating(() => db.renameCollection(stagedName(collection), collection, { dropTarget: true }));
}

/** Drops what an import has gathered. */
export async function dropStaged({ db }: Database): Promise<void> {
  for (const name of await stagedCollections(db)) await translating(() => db.dropCollection(name));
}
