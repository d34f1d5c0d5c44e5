import { BSON, Decimal128, type Document, Long, ObjectId } from 'mongodb';
import type { Values } from '../../values.js';
import { translating } from '../send/calls.js';
import { createClientOf } from '../send/refused-access.js';

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
