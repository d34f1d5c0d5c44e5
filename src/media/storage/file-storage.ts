import type { Config } from '../../config/config.js';

/** Bytes in chunks of any size, available now or later. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A storage of the bytes of files. Keys are made by the service, are safe as file names, and are used once. */
export interface FileStorage {
  /** Stores the bytes; they are durable when it resolves. If it rejects, `remove` deletes what was written. */
  write(key: string, source: ByteSource, about: { readonly mime: string }): Promise<void>;
  /** Returns the bytes from `start` to before `end`; fails if the key does not exist. */
  read(key: string, range: ByteRange): ByteSource;
  /** Deletes the bytes. It is no error if there are none. */
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

/** Converts bytes to the unit of the API: thousands, rounded to hundredths. */
export const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;
