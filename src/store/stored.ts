import type { AbstractCursor } from 'mongodb';
import { type Database, type Document } from './send/database.js';
import { readAll } from './send/read-commands.js';
import type { Match } from './form/matches.js';

/** Which documents of a collection are read, and what of them. */
export interface Wanted {
  readonly match?: Match;
  /** The fields that are read; all by default. */
  readonly fields?: readonly string[];
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  /** Maximum number of documents; all by default. */
  readonly limit?: number;
}

/** Returns stored documents as they are, without rights or presentation, in one command; in no order unless one is wanted. */
export const findStored = (
  database: Database,
  collection: string,
  { match, fields, ...page }: Wanted = {},
): Promise<readonly Document[]> =>
  readAll(database, {
    find: collection,
    ...(match && { filter: match }),
    ...(fields && { projection: Object.fromEntries(fields.map((field) => [field, 1])) }),
    ...page,
    batchSize: page.limit ?? 1_000_000,
  });

/** Returns the first stored document of a match; null if there is none. */
export const findFirst = async (database: Database, collection: string, match: Match): Promise<Document | null> =>
  (await findStored(database, collection, { match, limit: 1 }))[0] ?? null;

/** Returns whether a document meets a match; without one, whether there is any document. */
export const isStored = async (database: Database, collection: string, match?: Match): Promise<boolean> =>
  (await findStored(database, collection, { ...(match && { match }), fields: ['_id'], limit: 1 })).length > 0;

/** Returns the number of stored documents of a match. */
export async function countMatching(database: Database, collection: string, match: Match): Promise<number> {
  const [counted] = await readAll(database, { aggregate: collection, pipeline: [{ $match: match }, { $count: 'n' }] });
  return Number(counted?.['n'] ?? 0);
}

/** Calls a function with the documents of each reply to a cursor, and closes the cursor. */
export async function eachReply<Row>(cursor: AbstractCursor<Row>, work: (rows: readonly Row[]) => Promise<void>): Promise<void> {
  try {
    while (await cursor.hasNext()) await work(cursor.readBufferedDocuments());
  } finally {
    await cursor.close();
  }
}
