import { Binary, ObjectId } from 'mongodb';
import { chunkSize } from './blob-store.js';
import { readAll, type Database } from './database.js';
import { translating } from './driver-errors.js';

interface ChunkDocument {
  readonly files_id: ObjectId;
  readonly n: number;
  readonly data: Binary;
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const chunks = ({ db }: Database) => db.collection<ChunkDocument>('uploads.chunks');

/** Stores bytes in GridFS chunk by chunk, never holding more than one; they are there when it resolves. */
export async function writeChunks(database: Database, id: string, source: Pieces): Promise<void> {
  const files_id = new ObjectId(id);
  const write = async (n: number, bytes: Uint8Array): Promise<void> => {
    const document = { files_id, n, data: new Binary(bytes) };
    await translating(() => chunks(database).insertOne(document, { maxTimeMS: database.maxTimeMS.write }));
  };
  let n = 0;
  for await (const bytes of inChunks(source)) await write(n++, bytes);
}

/** The same bytes in pieces of the size of a chunk. */
async function* inChunks(source: Pieces): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (let bytes of source) {
    while (size + bytes.length >= chunkSize) {
      const head = bytes.subarray(0, chunkSize - size);
      yield Buffer.concat([...parts, head], chunkSize);
      bytes = bytes.subarray(head.length);
      parts = [];
      size = 0;
    }
    if (bytes.length > 0) parts.push(bytes);
    size += bytes.length;
  }
  if (size > 0) yield Buffer.concat(parts, size);
}

/** Chunks of one reply: few enough that a client who stops reading holds no more than these. */
const chunksAtOnce = 2;

/** The bytes from `start` to before `end`. Each reply is a command of its own: nothing stays open where a client goes away. */
export async function* readChunks(database: Database, id: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const files_id = new ObjectId(id);
  const last = Math.ceil(end / chunkSize);
  for (let n = Math.floor(start / chunkSize); n < last; n += chunksAtOnce) {
    const until = Math.min(n + chunksAtOnce, last);
    const filter = { files_id, n: { $gte: n, $lt: until } };
    const found = await readAll(database, {
      find: 'uploads.chunks',
      filter,
      sort: { n: 1 },
      projection: { _id: 0, n: 1, data: 1 },
    });
    if (found.length < until - n) throw new Error(`chunks of ${id} are missing`);
    for (const chunk of found as unknown as readonly ChunkDocument[]) {
      // written in this form
      const from = chunk.n * chunkSize;
      yield chunk.data.buffer.subarray(Math.max(start - from, 0), Math.min(end - from, chunkSize));
    }
  }
}

/** Deletes what there is of them. */
export async function removeChunks(database: Database, id: string): Promise<void> {
  const filter = { files_id: new ObjectId(id) };
  await translating(() => chunks(database).deleteMany(filter, { maxTimeMS: database.maxTimeMS.write }));
}
