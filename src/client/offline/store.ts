import type { Uploadable } from '../upload.js';

/** A row of a store; the value `undefined` removes the row. Values are JSON, or a file. */
export type Row = readonly [key: string, value: unknown];

/** Where the copy, the writes that wait, and their files are kept on a device. */
export interface OfflineStore {
  /** A name that all tabs of an origin share, in which the store is the same; absent if one engine alone uses the store. */
  readonly name?: string;
  /** Returns the rows whose keys begin with a prefix, which ends with a slash. */
  rows(prefix: string): Promise<readonly Row[]> | readonly Row[];
  /** Returns the value of a row; undefined if there is none. */
  read(key: string): unknown;
  /** Writes rows, all or none. */
  write(rows: readonly Row[]): Promise<void> | void;
  close(): Promise<void> | void;
}

/** The texts that describe a file of a phone. */
const ofPhones = ['uri', 'name', 'type'];

/** Returns whether a value is a file that can be uploaded: one of a browser, or of a phone. */
export const isFile = (value: unknown): value is Uploadable => {
  const parts = value as Readonly<Record<string, unknown>> | null;
  return typeof parts?.['arrayBuffer'] === 'function' || ofPhones.every((name) => typeof parts?.[name] === 'string');
};

/** Sets the value of a key; undefined removes it. */
export function put<Key, Value>(map: Map<Key, Value>, key: Key, value: unknown): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value as Value);
}

/** Returns a store in memory. An engine that is created with the same store goes on where another one has ended. */
export function memoryStore(): OfflineStore {
  const held = new Map<string, unknown>();
  return {
    rows: (prefix) => [...held].filter(([key]) => key.startsWith(prefix)),
    read: (key) => held.get(key),
    write: (rows) => {
      for (const [key, value] of rows) put(held, key, value);
    },
    close: () => undefined,
  };
}
