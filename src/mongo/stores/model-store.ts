import { BSON } from 'mongodb';
import { collections } from '../../schema/collections.js';
import type { Model } from '../../schema/model.js';
import { inReadTime, inWriteTime } from '../calls.js';
import { type Database, type Document, inSession, readAll } from '../database.js';
import { unlessPresent } from '../ensure-collections.js';
import { inTransaction } from '../transaction.js';

/** Returns all documents of `_models` as models with their uid, in a stable order. They are not checked. */
export async function readModels(database: Database): Promise<{ readonly uid: string }[]> {
  const documents = await readAll(database, { find: collections.models, sort: { _id: 1 }, batchSize: 100_000 });
  return documents.map(modelOf);
}

type ReadModels = (database: Database) => Promise<readonly { readonly uid: string }[]>;

/**
 * Returns what reads all models again and again. A model that is stored as it was is the same object as before: with hundreds of models it
 * is the comparing and decoding that costs.
 */
export function createModelReader(): ReadModels {
  let known: readonly DecodedModel[] = [];
  return async (database) => {
    const options = { raw: true, sort: { _id: 1 }, batchSize: 100_000 } as const;
    const rows = (await inReadTime(database, () =>
      database.db.collection(collections.models).find({}, options).toArray(),
    )) as unknown as Uint8Array[]; // raw
    known = decode(rows, known);
    return known.map(({ model }) => model);
  };
}

/** A model, and the document that it was decoded from. */
interface DecodedModel {
  readonly bytes: Uint8Array;
  readonly model: { readonly uid: string };
}

/** Decodes rows. Models whose bytes are known are the known ones. Rows and known ones are in the order of their uids. */
function decode(rows: readonly Uint8Array[], known: readonly DecodedModel[]): readonly DecodedModel[] {
  let at = 0;
  const take = (bytes: Uint8Array): DecodedModel | undefined => {
    const next = known[at];
    if (next === undefined || Buffer.compare(next.bytes, bytes) !== 0) return undefined;
    at++;
    return { bytes, model: next.model }; // the former bytes are a part of a whole answer, which they would keep
  };
  return rows.map((bytes) => {
    const same = take(bytes);
    if (same !== undefined) return same;
    const model = modelOf(BSON.deserialize(bytes));
    while ((known[at]?.model.uid ?? model.uid) < model.uid) at++;
    return take(bytes) ?? { bytes, model };
  });
}

const modelOf = ({ _id, ...model }: Document): { readonly uid: string } => ({ ...model, uid: String(_id) });

type StoredModel = Omit<Model, 'uid'> & { readonly _id: string };

/** Databases that have the collection of models. */
const created = new WeakSet<Database['db']>();

/** Creates the collection, which transactions at the same time cannot. If that fails, the write that follows tells why. */
async function createModels(database: Database): Promise<void> {
  const { db } = database;
  if (created.has(db)) return;
  const create = inWriteTime(database, () => db.createCollection(collections.models)).catch(unlessPresent);
  await create.then(
    () => created.add(db),
    () => undefined,
  );
}

/** Stores models in one transaction, so that models which need each other appear together. Each replaces the one of its uid. */
export async function writeModels(database: Database, models: readonly Model[]): Promise<void> {
  const operations = models.map(({ uid, ...replacement }) => ({
    replaceOne: { filter: { _id: uid }, replacement, upsert: true },
  }));
  if (operations.length === 0) return;
  await createModels(database);
  await inTransaction(database, async (inner) => {
    const stored = inner.db.collection<StoredModel>(collections.models);
    await inWriteTime(inner, () => stored.bulkWrite(operations, inSession(inner.session)));
  });
}

/** Removes a model. Its entries stay. Returns false if there was none. */
export async function removeModel(database: Database, uid: string): Promise<boolean> {
  const models = database.db.collection<StoredModel>(collections.models);
  const { deletedCount } = await inWriteTime(database, () => models.deleteOne({ _id: uid }, inSession(database.session)));
  return deletedCount > 0;
}
