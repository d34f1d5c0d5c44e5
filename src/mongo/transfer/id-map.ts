import { translating } from '../send/calls.js';
import { type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { insertStaged } from './insert-staged.js';

/**
 * The numeric id of a document from another database, which stays stored after the import, for programs that look it up later.
 */
interface MappedId {
  /** `articles:5f1b…` */
  readonly _id: string;
  readonly collection: string;
  readonly source: string;
  readonly number: number;
}

/** The collection of these ids, which an import does not drop at its end. */
const idMapCollection = '_imported_ids';

export const idKey = (collection: string, id: string): string => `${collection}:${id}`;

/** Assigns numeric ids to documents that have none yet, beginning after the greatest one. */
export async function mapIds(database: Database, collection: string, batches: AsyncIterable<readonly string[]>): Promise<void> {
  await translating(() => database.db.collection(idMapCollection).createIndex({ collection: 1, number: -1 }));
  let next = (await lastNumber(database, collection)) + 1;
  for await (const ids of batches) {
    const known = await readIds(
      database,
      ids.map((id) => idKey(collection, id)),
    );
    const missing = ids.filter((id) => !known.has(idKey(collection, id)));
    const rows = missing.map((source): MappedId => ({ _id: idKey(collection, source), collection, source, number: next++ }));
    await insertStaged(database, idMapCollection, rows);
  }
}

async function lastNumber(database: Database, collection: string): Promise<number> {
  const command = { find: idMapCollection, filter: { collection }, sort: { number: -1 }, limit: 1 };
  const [last] = await readAll(database, command);
  return Number(last?.['number'] ?? 0);
}

/** Returns the numeric ids of documents by their keys. */
export async function readIds(database: Database, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await readAll(database, {
    find: idMapCollection,
    filter: { _id: { $in: keys } },
    projection: { number: 1 },
    batchSize: 100_000,
  });
  return new Map(rows.map(({ _id, number }) => [String(_id), Number(number)]));
}
