import { type Database, type Document, readAll } from './send/database.js';
import type { Match } from './form/matches.js';

/** Which documents of a collection are read. */
interface Wanted {
  readonly match?: Match;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  /** Maximum number of documents; all by default. */
  readonly limit?: number;
}

/** Returns stored documents as they are, without rights or presentation; sorted by id unless another order is wanted. */
export const findStored = (
  database: Database,
  collection: string,
  { match = {}, sort = { _id: 1 }, skip = 0, limit = 0 }: Wanted = {},
): Promise<readonly Document[]> =>
  readAll(database, { find: collection, filter: match, sort, skip, limit, batchSize: limit || 1_000_000 });

/** Returns the first stored document of a match; null if there is none. */
export const findFirst = async (database: Database, collection: string, match: Match): Promise<Document | null> =>
  (await findStored(database, collection, { match, limit: 1 }))[0] ?? null;

/** Returns the number of stored documents of a match. */
export async function countMatching(database: Database, collection: string, match: Match): Promise<number> {
  const [counted] = await readAll(database, {
    aggregate: collection,
    pipeline: [{ $match: match }, { $count: 'n' }],
    cursor: {},
  });
  return Number(counted?.['n'] ?? 0);
}
