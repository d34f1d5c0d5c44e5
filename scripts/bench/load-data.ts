import type { Db, Document } from 'mongodb';
import { dataSet, type Source } from './data-set.js';
import { makeEntry } from './make-entry.js';
import { models } from './models.js';
import type { Row } from './questions.js';
import { sizes, type Size } from './sizes.js';
import { removeUploads, storeDownload } from './store-download.js';

/** Incremented with every change of the generated data, so that older data is loaded again. */
export const dataForm = 6;

/** Makes sure that a database holds exactly the data set of the rows; reuses the data of an earlier run. */
export async function loadData(db: Db, { size, rows }: { readonly size: Size; readonly rows: readonly Row[] }): Promise<void> {
  const marker = await db.collection<Marker>('_bench').findOne({ _id: 'data set' });
  if (marker?.form === dataForm && marker.size === size) await removeAdditions(db, size);
  else await loadAnew(db, size);
  const isSynced = rows.some((row) => row.isSynced);
  await db.collection('_models').deleteMany({});
  await insert(
    db,
    '_models',
    models.map(({ uid, ...model }) => ({ _id: uid, ...model, ...(isSynced && uid === placeUid && synced) })),
  );
  await db.collection('i18n_locales').deleteMany({});
  await insert(
    db,
    'i18n_locales',
    locales.map((code, index) => makeEntry(index + 1, { code, name: code })),
  );
}

const placeUid = 'api::place.place';
const synced = { pluginOptions: { sync: { enabled: true } } };

/** Those of the notes. */
const locales = ['en', 'de'];

async function loadAnew(db: Db, size: Size): Promise<void> {
  await db.dropDatabase();
  await insertSources(db, dataSet(size));
  await storeDownload(db);
  await db.collection<Marker>('_bench').insertOne({ _id: 'data set', form: dataForm, size });
}

/** Deletes what the workload has created. */
export async function removeAdditions(db: Db, size: Size): Promise<void> {
  await db.collection<Identified>('articles').deleteMany({ _id: { $gt: sizes[size] } });
  await removeUploads(db);
}

interface Marker {
  readonly _id: 'data set';
  readonly form: number;
  readonly size: Size;
}

interface Identified extends Document {
  readonly _id: number | string;
}

async function insertSources(db: Db, sources: readonly Source[]): Promise<void> {
  for (const { collection, count, make } of sources) {
    console.log(`loading ${String(count)} ${collection}`);
    await insertEntries(db, { collection, count, make });
    await insert(db, '_counters', [{ _id: collection, next: count + 1 }]);
    await insert(db, '_collections', [{ _id: collection }]);
  }
}

/** The documents of a collection, by their numbers from 1 on. */
interface Documents extends Omit<Source, 'make'> {
  make(id: number): Document;
}

/** Inserts the documents of a collection. Throws an Error with the first problem. */
export async function insertEntries(db: Db, { collection, count, make }: Documents): Promise<void> {
  for (const ids of batches(count, 1_000)) await insert(db, collection, ids.map(make));
}

function* batches(count: number, size: number): Generator<number[]> {
  for (let first = 1; first <= count; first += size) {
    yield Array.from({ length: Math.min(size, count - first + 1) }, (_, index) => first + index);
  }
}

/**
 * Inserts documents as one bare command: through the driver's list of operations a document costs five times as much. Throws an Error
 * with the first problem.
 */
async function insert(db: Db, collection: string, documents: readonly Document[]): Promise<void> {
  const { writeErrors } = await db.command({ insert: collection, documents, ordered: false, writeConcern: { w: 1 } });
  const [first] = (writeErrors ?? []) as readonly { readonly errmsg: string }[]; // as every server answers
  if (first !== undefined) throw new Error(`${collection}: ${first.errmsg}`);
}
