import { collections } from '../../schema/collections.js';
import type { Model } from '../../schema/model.js';
import { type Database, inSession, readAll, translating } from '../database.js';
import { inTransaction } from '../transaction.js';

/** All documents of `_models`, in a stable order, as models with their uid; whether they are right is checked elsewhere. */
export async function readModels(database: Database): Promise<{ readonly uid: string }[]> {
  const documents = await readAll(database, { find: collections.models, sort: { _id: 1 }, batchSize: 100_000 });
  return documents.map(({ _id, ...model }) => ({ ...model, uid: String(_id) }));
}

type StoredModel = Omit<Model, 'uid'> & { readonly _id: string };

/** Stores models, each in the place of one with the same uid; all at once, so that models that need each other come together. */
export async function writeModels(database: Database, models: readonly Model[]): Promise<void> {
  const operations = models.map(({ uid, ...replacement }) => ({
    replaceOne: { filter: { _id: uid }, replacement, upsert: true },
  }));
  if (operations.length === 0) return;
  await database.db.createCollection(collections.models).catch(() => undefined); // it may be there: a transaction cannot race to make it
  await inTransaction(database, async ({ db, session }) => {
    await translating(() => db.collection<StoredModel>(collections.models).bulkWrite(operations, inSession(session)));
  });
}

/** Takes a model out; its entries stay. False: there was none. */
export async function removeModel({ db, session }: Database, uid: string): Promise<boolean> {
  const models = db.collection<StoredModel>(collections.models);
  const { deletedCount } = await translating(() => models.deleteOne({ _id: uid }, inSession(session)));
  return deletedCount > 0;
}
