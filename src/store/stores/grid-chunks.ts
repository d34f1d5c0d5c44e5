import { Binary, ObjectId } from 'mongodb';
import { chunkSize } from './blob-store.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';

interface ChunkDocument {
  readonly files_id: ObjectId;
  readonly n: number;
  readonly data: Binary;
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Returns access to bytes in MongoDB (GridFS), which every instance shares and a backup of the database includes, by the ids of blobs. */
export const gridStorage = (database: Database) => ({
  write: (id: string, source: Pieces) => writeChunks(database, id, source),
  read: (id: string, range: Range) => readChunks(database, id, range),
  sizeOf: (id: string) => sizeOfChunks(database, id),
  remove: (id: string) => removeChunks(database, id),
});

interface Range {
  readonly start: number;
  readonly end: number;
}

const options = (database: Database) => ({ maxTimeMS: database.maxTimeMS.write, ...commentIn(database) });

const chunks = ({ db }: Database) => db.collection<ChunkDocument>('uploads.chunks');

/**
 * Stores bytes in GridFS chunk by chunk, with at most one chunk in memory. Resolves when all bytes are stored. Each full chunk
 * renews the time limit of the request, because there may be many chunks.
 */
async function writeChunks(database: Database, id: string, source: Pieces): Promise<void> {
  const files_id = new ObjectId(id);
  const write = async (n: number, bytes: Uint8Array): Promise<void> => {
    const document = { files_id, n, data: new Binary(bytes) };
    await inWriteTime(database, () => chunks(database).insertOne(document, options(database)));
  };
  const chunk = takeBuffer();
  let [n, size] = [0, 0];
  for await (let bytes of source) {
    for (; size + bytes.length >= chunkSize; size = 0) {
      chunk.set(bytes.subarray(0, chunkSize - size), size);
      await write(n++, chunk);
      database.time.renew();
      bytes = bytes.subarray(chunkSize - size);
    }
    chunk.set(bytes, size);
    size += bytes.length;
  }
  if (size > 0) await write(n, chunk.subarray(0, size));
  // Released only here: after a failed write it is unknown when the driver stops using the buffer.
  if (spare.length < mostSpare) spare.push(chunk);
}

/** Unused buffers for one chunk each. A new buffer for every megabyte would keep the garbage collector busy. */
const spare: Buffer[] = [];
const mostSpare = 16;

const takeBuffer = (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(chunkSize);

/** Number of chunks in one reply. They are few, because they stay in memory if a client stops reading. */
const chunksAtOnce = 2;

/**
 * Reads the bytes from `start` up to, but not including, `end`. Each reply is a separate command, so that no cursor stays open
 * when a client disconnects.
 */
async function* readChunks(database: Database, id: string, { start, end }: Range): AsyncGenerator<Uint8Array> {
  const files_id = new ObjectId(id);
  const last = Math.ceil(end / chunkSize);
  for (let n = Math.floor(start / chunkSize); n < last; n += chunksAtOnce) {
    const until = Math.min(n + chunksAtOnce, last);
    const filter = { files_id, n: { $gte: n, $lt: until } };
    const chunks = await readAll(database, {
      find: 'uploads.chunks',
      filter,
      sort: { n: 1 },
      projection: { _id: 0, n: 1, data: 1 },
    });
    if (chunks.length < until - n) throw new Error(`chunks of ${id} are missing`);
    for (const chunk of chunks as unknown as readonly ChunkDocument[]) {
      // written in this form
      const from = chunk.n * chunkSize;
      yield chunk.data.buffer.subarray(Math.max(start - from, 0), Math.min(end - from, chunkSize));
    }
  }
}

/** Returns the number of these bytes; null if there are none. */
async function sizeOfChunks(database: Database, id: string): Promise<number | null> {
  const filter = { files_id: new ObjectId(id) };
  const [last] = await readAll(database, { find: 'uploads.chunks', filter, sort: { n: -1 }, limit: 1 });
  if (last === undefined) return null;
  const { n, data } = last as unknown as ChunkDocument; // written in this form
  return n * chunkSize + data.length();
}

/** Deletes the chunks of these bytes. */
async function removeChunks(database: Database, id: string): Promise<void> {
  const filter = { files_id: new ObjectId(id) };
  await inWriteTime(database, () => chunks(database).deleteMany(filter, options(database)));
}
