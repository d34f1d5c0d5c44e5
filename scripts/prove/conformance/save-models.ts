import type { Db, Document } from 'mongodb';
import type { Model } from '../../../src/model/schema/model.js';

/** Writes models to `_models`, where the service reads them: the schema.json object with its uid as `_id`. */
export async function saveModels(db: Db, models: readonly Model[]): Promise<void> {
  const documents = models.map(({ uid, ...model }) => ({ _id: uid, ...model }));
  await db.collection<Document & { readonly _id: string }>('_models').insertMany(documents);
}
