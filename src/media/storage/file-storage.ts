import type { Config } from '../../config/config.js';
import type { WaitTime } from '../../mongo/within-time.js';

/** Bytes in chunks of any size, available now or later. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A storage of the bytes of files. The service chooses the keys: each is safe as a file name and is used once. */
export interface FileStorage {
  /** Stores the bytes; they are durable when it resolves. If it rejects, the caller calls `remove`, which deletes what was written. */
  write(key: string, source: ByteSource, about: WrittenFile): Promise<void>;
  /** Returns the bytes of the range, none if it is empty. Otherwise iterating rejects if the key does not exist. */
  read(key: string, range: ByteRange): ByteSource;
  /** Deletes the bytes. It is no error if there are none. */
  remove(key: string): Promise<void>;
}

interface WrittenFile {
  readonly mime: string;
  /** The time that its request may wait for the database. */
  readonly time: WaitTime;
}

/** Positions in bytes, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** `plugins.upload.config`. */
export type MediaSettings = Config['plugins']['upload']['config'];
