import type { Db, Document } from 'mongodb';
import { keyCollection } from './ask-push.js';
import { writeConcern, type Handler } from './baseline-handler.js';

/** Rows push: for each write, a transaction that stores its key, and compares, updates and returns the entry. */
export const pushNotes: Handler = async (db, _parameters, body) => {
  const { writes } = body as { readonly writes: readonly Write[] }; // the load generator's own
  const data: unknown[] = [];
  for (const { key, id, set } of writes)
    data.push({ status: 'applied', ...(await update(db, key, { _id: id, note: set.note.from }, set.note.to)) });
  return { data, meta: {} };
};

/** Row put-key: the same without a comparison. */
export const updateNote: Handler = async (db, parameters, body) => {
  const { data } = body as { readonly data: { readonly note: string } };
  const key = parameters.get('key') ?? '';
  return { data: await update(db, key, { _id: Number(parameters.get('id')) }, data.note), meta: {} };
};

interface Write {
  readonly key: string;
  readonly id: number;
  readonly set: { readonly note: { readonly from: string | null; readonly to: string } };
}

async function update(db: Db, key: string, query: Document, note: string): Promise<Document> {
  const change = { $set: { note, updatedAt: new Date() } };
  const { value } = await db.client.withSession((session) =>
    session.withTransaction(
      async () => {
        await db.command({ insert: keyCollection, documents: [{ _id: key, at: new Date() }] }, { session });
        return db.command({ findAndModify: 'places', query, update: change, new: true }, { session });
      },
      { writeConcern },
    ),
  );
  const { _id: id, name, at, createdAt, updatedAt } = value as Document; // no other request changes the note meanwhile
  const [lng, lat] = (at as { readonly coordinates: readonly [number, number] }).coordinates; // as the data set stores them
  return { id: id as unknown, attributes: { name, at: { lng, lat }, note, createdAt, updatedAt } as Document };
}
