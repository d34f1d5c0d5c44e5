import type { Model } from '../schema/model.js';
import { readAll, type Database } from './database.js';
import { translating } from './driver-errors.js';

/** All documents of `_models`, in a stable order, as models with their uid; whether they are right is checked elsewhere. */
export async function readModels(database: Database): Promise<{ readonly uid: string }[]> {
  const documents = await readAll(database, { find: '_models', sort: { _id: 1 }, batchSize: 100_000 });
  return documents.map(({ _id, ...model }) => ({ ...model, uid: String(_id) }));
}

type StoredModel = Omit<Model, 'uid'> & { readonly _id: string };

/** Stores a model, in the place of one with the same uid. */
export async function writeModel({ db }: Database, { uid, ...model }: Model): Promise<void> {
  await translating(() => db.collection<StoredModel>('_models').replaceOne({ _id: uid }, model, { upsert: true }));
}

/** Takes a model out; its entries stay. False: there was none. */
export async function removeModel({ db }: Database, uid: string): Promise<boolean> {
  const { deletedCount } = await translating(() => db.collection<StoredModel>('_models').deleteOne({ _id: uid }));
  return deletedCount > 0;
}
