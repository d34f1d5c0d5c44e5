import { BSON, Decimal128, type Document, Long, ObjectId } from 'mongodb';
import type { Values } from '#base/values.js';
import { translating } from '#store/send/driver-errors.js';
import { createClientOf } from '#store/send/connection.js';
import type { Database } from '#store/send/database.js';
import { readAll } from '#store/send/read-commands.js';
import { insertStagedDocuments } from './insert-staged.js';

/** A database of another program, for reading. ObjectIds are converted to 24 hexadecimal digits. */
export interface ForeignDatabase {
  /** Host and database, without credentials. */
  readonly description: string;
  /** Reads documents in the order of their ids, in batches. */
  readonly read: (collection: string, selection?: ForeignSelection) => AsyncIterable<readonly Values[]>;
  /** Reads the documents with these ids, in any order. */
  readonly readByIds: (collection: string, ids: readonly string[]) => Promise<readonly Values[]>;
  readonly close: () => Promise<void>;
}

interface ForeignSelection {
  readonly filter?: Document;
  readonly projection?: Document;
  /** The id to begin at, in the form in which it was read; null to read all. */
  readonly from?: unknown;
}

/** Maximum number of documents in a batch, and of their bytes. */
const batch = { documents: 500, bytes: 8_388_608 };

/** Connects to a database of another program. Rejects if no server answers. */
export async function openForeign(uri: string): Promise<ForeignDatabase> {
  const client = createClientOf(uri, {
    appName: 'mangrove-import',
    readPreference: 'primaryPreferred',
    serverSelectionTimeoutMS: 10_000,
  });
  await translating(() => client.connect());
  const db = client.db();
  return {
    description: `${client.options.hosts.map(String).join(',')}/${db.databaseName}`,
    read: async function* (collection, { filter = {}, projection, from = null } = {}) {
      const start = from === null ? {} : { min: { _id: idOf(from) }, hint: { _id: 1 } };
      const options = { sort: { _id: 1 }, batchSize: batch.documents, ...(projection && { projection }), ...start } as const;
      let rows: Values[] = [];
      let bytes = 0;
      for await (const row of db.collection(collection).find(filter, options)) {
        rows.push(plain(row) as Values); // an object in, an object out
        bytes += BSON.calculateObjectSize(row);
        if (rows.length < batch.documents && bytes < batch.bytes) continue;
        yield rows;
        rows = [];
        bytes = 0;
      }
      if (rows.length > 0) yield rows;
    },
    readByIds: async (collection, ids) => {
      const wanted = ids.map(idOf);
      const rows = await translating(() =>
        db
          .collection(collection)
          .find({ _id: { $in: wanted as ObjectId[] } }) // or strings
          .toArray(),
      );
      return rows.map((row) => plain(row) as Values); // objects in, objects out
    },
    close: () => client.close(),
  };
}

const idOf = (id: unknown): unknown => (typeof id === 'string' && ObjectId.isValid(id) ? new ObjectId(id) : id);

/** Returns a value of MongoDB as JSON can represent it; dates stay. */
function plain(value: unknown): unknown {
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Decimal128) return Number(value.toString());
  if (value instanceof Long) return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

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
    await insertStagedDocuments(database, idMapCollection, rows);
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
