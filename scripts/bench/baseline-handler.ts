import type { Db, Document } from 'mongodb';

/** Answers one request of a row: its parameters, and its JSON body if it has one. */
export type Handler = (db: Db, parameters: URLSearchParams, body: unknown) => Promise<unknown>;

/** The condition of every list but the preview, as one range. */
export const live = { publishedAt: { $gt: new Date(-8_640_000_000_000_000) } };

/** The write concern of the product: a write is in the journals of a majority before it is answered. */
export const writeConcern = { w: 'majority', j: true } as const;

/** A find as a bare command: reading `firstBatch` costs a third of going through a cursor. */
export async function find(db: Db, collection: string, query: Document): Promise<Document[]> {
  const { cursor } = await db.command({ find: collection, singleBatch: true, ...query });
  return (cursor as Reply).firstBatch;
}

/** An aggregation as a bare command; `batchSize` is its maximum. */
export async function aggregate(
  db: Db,
  collection: string,
  pipeline: readonly Document[],
  batchSize: number,
): Promise<Document[]> {
  const { cursor } = await db.command({ aggregate: collection, pipeline, cursor: { batchSize } });
  return (cursor as Reply).firstBatch;
}

export async function count(db: Db, collection: string, query?: Document): Promise<number> {
  const { n } = await db.command(query ? { count: collection, query } : { count: collection });
  return n as number;
}

interface Reply {
  readonly firstBatch: Document[];
}
