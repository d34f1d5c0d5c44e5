import { collections } from '../../schema/collections.js';
import type { Model } from '../../schema/model.js';
import { type Database, inSession, readAll, translating } from '../database.js';
import { inTransaction } from '../transaction.js';

/** Returns all documents of `_models` as models with their uid, in a stable order. They are not checked. */
export async function readModels(database: Database): Promise<{ readonly uid: string }[]> {
  const documents = await readAll(database, { find: collections.models, sort: { _id: 1 }, batchSize: 100_000 });
  return documents.map(({ _id, ...model }) => ({ ...model, uid: String(_id) }));
}

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
