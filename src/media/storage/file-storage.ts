import type { Config } from '#settings/config.js';

/** Bytes in chunks of any size, synchronous or asynchronous. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A storage for the bytes of files. The service chooses the keys. Each key is a safe file name and is used once. */
export interface FileStorage {
  /**
   * Stores bytes of a media type. They are durable when it resolves. If it rejects, the caller calls `remove` to delete what was
   * written.
   */
  write(key: string, source: ByteSource, mime: string): Promise<void>;
  /** Returns the bytes of a range, none if the range is empty. Iterating rejects if the key does not exist. */
  read(key: string, range: ByteRange): ByteSource;
  /** Returns the number of stored bytes; null if the key does not exist. Rejects if the storage cannot tell. */
  sizeOf(key: string): Promise<number | null>;
  /** Deletes the bytes. Does nothing if there are none. */
  remove(key: string): Promise<void>;
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

/** Positions in bytes, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The settings in `plugins.upload.config`. */
export type MediaSettings = Config['plugins']['upload']['config'];
