import type { Config } from '../../config/config.js';

/** Bytes in pieces of any size, there already or still to come. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Where the bytes of files lie. Keys are made by the service, are safe as names anywhere, and are used once. */
export interface FileStorage {
  /** Stores all that comes; durable when it resolves. Where it rejects, `remove` takes away what was written. */
  write(key: string, source: ByteSource, about: { readonly mime: string }): Promise<void>;
  /** The bytes from `start` to before `end`; fails if there are none. */
  read(key: string, range: ByteRange): ByteSource;
  /** Deletes the bytes; nothing to delete is no error. */
  remove(key: string): Promise<void>;
}

/** Positions in bytes, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** `plugins.upload.config`. */
export type MediaSettings = Config['plugins']['upload']['config'];

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people, in whole units of a thousand: `2 MB`. */
export function printSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${String(Math.round(bytes / 1000 ** step))} ${units[step] ?? 'B'}`;
}

/** Bytes as the files of the API give them: thousands, to the hundredth. */
export const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;
