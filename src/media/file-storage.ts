/** Bytes in pieces of any size, there already or still to come. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Where the bytes of files lie. Keys are made by the service, are safe as names anywhere, and are used once. */
export interface FileStorage {
  /** Stores all that comes; durable when it resolves. Where it rejects, `remove` takes away what was written. */
  write(key: string, source: ByteSource, about: { readonly mime: string }): Promise<void>;
  /** The bytes from `start` to before `end`; fails where there are none. */
  read(key: string, range: ByteRange): ByteSource;
  /** Deletes the bytes; nothing to delete is no error. */
  remove(key: string): Promise<void>;
}

/** Positions in bytes, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
