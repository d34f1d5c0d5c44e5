import type { Document, Sort } from 'mongodb';
import type { Database } from '../send/database.js';
import { isGroup } from '../form/layout.js';

interface DocumentOrder {
  readonly sort: Sort;
  readonly projection?: Document;
}

/** Reads all documents of a collection in batches. */
export async function* streamDocuments(
  { db }: Database,
  collection: string,
  { sort, projection }: DocumentOrder = { sort: { _id: 1 } },
): AsyncGenerator<Document> {
  yield* db.collection(collection).find({}, { sort, ...(projection && { projection }), allowDiskUse: true, batchSize: 500 });
}

/** Counts the documents of a collection, by its metadata. */
export const countDocuments = ({ db }: Database, collection: string): Promise<number> =>
  db.collection(collection).estimatedDocumentCount();

/**
 * Reads the pairs of entries in each localization group, in both directions, with the position of the other entry in the list.
 */
export async function* streamSiblings(
  database: Database,
  collection: string,
): AsyncGenerator<readonly [id: number, other: number, position: number]> {
  let group: unknown;
  let members: number[] = [];
  for await (const { _id, _group } of streamDocuments(database, collection, {
    sort: { _group: 1, _id: 1 },
    projection: { _group: 1 },
  })) {
    if (!isGroup(_group) || _group !== group) {
      yield* pairsOf(members);
      members = [];
    }
    group = _group;
    members.push(Number(_id));
  }
  yield* pairsOf(members);
}

function* pairsOf(members: readonly number[]): Generator<readonly [number, number, number]> {
  for (const id of members) {
    let position = 0;
    for (const other of members) if (other !== id) yield [id, other, ++position];
  }
}
