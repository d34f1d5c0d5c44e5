import type { Config } from '../../config/config.js';
import type { WaitTime } from '../../limits/clock.js';

/** Bytes in chunks of any size, synchronous or asynchronous. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A storage for the bytes of files. The service chooses the keys. Each key is a safe file name and is used once. */
export interface FileStorage {
  /** Stores bytes. They are durable when it resolves. If it rejects, the caller calls `remove` to delete what was written. */
  write(key: string, source: ByteSource, about: WrittenFile): Promise<void>;
  /**
   * Returns the bytes of a range, none if the range is empty. Iterating rejects if the key does not exist. `comment`, also below: that
   * of commands to the database.
   */
  read(key: string, range: ByteRange, comment?: string): ByteSource;
  /** Returns the number of stored bytes; null if the key does not exist. Rejects if the storage cannot tell. */
  sizeOf(key: string): Promise<number | null>;
  /** Deletes the bytes. Does nothing if there are none. */
  remove(key: string, comment?: string): Promise<void>;
}

/** Returns all bytes of a source in one piece. */
export async function joinBytes(source: ByteSource): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of source) pieces.push(bytes);
  const [only] = pieces;
  return only !== undefined && pieces.length === 1
    ? Buffer.from(only.buffer, only.byteOffset, only.length)
    : Buffer.concat(pieces);
}

interface WrittenFile {
  readonly mime: string;
  /** The limit of how long the request may wait for the database. */
  readonly time: WaitTime;
  readonly comment?: string;
}

/** Positions in bytes, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The settings in `plugins.upload.config`. */
export type MediaSettings = Config['plugins']['upload']['config'];
