import { BSON } from 'mongodb';
import { collections } from '../../schema/collections.js';
import type { Model } from '../../schema/model.js';
import { type Database, type Document, inSession, readAll, translating } from '../database.js';
import { inTransaction } from '../transaction.js';

/** Returns all documents of `_models` as models with their uid, in a stable order. They are not checked. */
export async function readModels(database: Database): Promise<{ readonly uid: string }[]> {
  const documents = await readAll(database, { find: collections.models, sort: { _id: 1 }, batchSize: 100_000 });
  return documents.map(modelOf);
}

type ReadModels = (database: Pick<Database, 'db'>) => Promise<readonly { readonly uid: string }[]>;

/**
 * Returns what reads all models again and again. A model that is stored as it was is the same object as before: with hundreds of models it
 * is the comparing and decoding that costs.
 */
export function createModelReader(): ReadModels {
  let known = new Map<string, { readonly uid: string }>();
  return async ({ db }) => {
    const options = { raw: true, sort: { _id: 1 }, batchSize: 100_000 } as const;
    const rows = (await translating(() =>
      db.collection(collections.models).find({}, options).toArray(),
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
  await database.db.createCollection(collections.models).catch(() => undefined); // it may exist: a transaction cannot create it twice
  await inTransaction(database, async ({ db, session }) => {
    await translating(() => db.collection<StoredModel>(collections.models).bulkWrite(operations, inSession(session)));
  });
}

/** Removes a model. Its entries stay. Returns false if there was none. */
export async function removeModel({ db, session }: Database, uid: string): Promise<boolean> {
  const models = db.collection<StoredModel>(collections.models);
  const { deletedCount } = await translating(() => models.deleteOne({ _id: uid }, inSession(session)));
  return deletedCount > 0;
}
