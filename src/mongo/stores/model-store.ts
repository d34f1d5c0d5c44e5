import { BSON } from 'mongodb';
import { collections } from '../../schema/collections.js';
import type { Model } from '../../schema/model.js';
import { inReadTime, inWriteTime } from '../calls.js';
import { type Database, type Document, inSession, readAll } from '../database.js';
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
  let known = new Map<string, { readonly uid: string }>();
  return async (database) => {
    const options = { raw: true, sort: { _id: 1 }, batchSize: 100_000 } as const;
    const rows = (await inReadTime(database, () =>
      database.db.collection(collections.models).find({}, options).toArray(),
    )) as unknown as Uint8Array[]; // raw
    const texts = rows.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
    known = new Map(
      texts.map((text, index) => [text, known.get(text) ?? modelOf(BSON.deserialize(rows[index] ?? new Uint8Array()))]),
    );
    return [...known.values()];
  };
}

const modelOf = ({ _id, ...model }: Document): { readonly uid: string } => ({ ...model, uid: String(_id) });

type StoredModel = Omit<Model, 'uid'> & { readonly _id: string };

/** Stores models in one transaction, so that models which need each other appear together. Each replaces the one of its uid. */
export async function writeModels(database: Database, models: readonly Model[]): Promise<void> {
  const operations = models.map(({ uid, ...replacement }) => ({
    replaceOne: { filter: { _id: uid }, replacement, upsert: true },
  }));
  if (operations.length === 0) return;
  // it may exist: a transaction cannot create it twice
  await inWriteTime(database, () => database.db.createCollection(collections.models)).catch(() => undefined);
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
