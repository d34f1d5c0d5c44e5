import type { OfflineStore, Row } from './store.js';

/** The part of IndexedDB that is used. */
interface Request<Value> {
  readonly result: Value;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface Opening extends Request<Database> {
  onupgradeneeded: (() => void) | null;
}

interface Database {
  onversionchange: (() => void) | null;
  createObjectStore(name: string): unknown;
  transaction(name: string, mode?: string, options?: object): Transaction;
  close(): void;
}

interface Transaction {
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
  objectStore(name: string): Rows;
}

interface Rows {
  get(key: string): Request<unknown>;
  getAll(range: unknown): Request<unknown[]>;
  getAllKeys(range: unknown): Request<string[]>;
  put(value: unknown, key: string): unknown;
  delete(key: string): unknown;
}

const rowsName = 'rows';

const done = <Value>(request: Request<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as Error); // a DOMException
  });

async function openDatabase(opening: Opening): Promise<Database> {
  opening.onupgradeneeded = () => void opening.result.createObjectStore(rowsName);
  const database = await done(opening);
  database.onversionchange = () => database.close(); // the app deletes it
  return database;
}

/** Returns a store in an IndexedDB database of that name, which all tabs of the origin share. */
export function indexedDbStore(name: string): OfflineStore {
  const { indexedDB, IDBKeyRange } = globalThis as unknown as {
    readonly indexedDB: { open(name: string, version: number): Opening };
    readonly IDBKeyRange: { bound(from: string, to: string): unknown };
  };
  let opened: Promise<Database> | null = null;
  const open = (): Promise<Database> => openDatabase(indexedDB.open(name, 1));
  const rows = async (mode: 'readonly' | 'readwrite'): Promise<readonly [Rows, Transaction]> => {
    const transaction = (await (opened ??= open())).transaction(rowsName, mode, { durability: 'strict' });
    return [transaction.objectStore(rowsName), transaction];
  };
  return {
    name,
    rows: async (prefix) => {
      const [all] = await rows('readonly');
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
      const [keys, values] = await Promise.all([done(all.getAllKeys(range)), done(all.getAll(range))]);
      return keys.map((key, index): Row => [key, values[index]]);
    },
    read: async (key) => done((await rows('readonly'))[0].get(key)),
    write: async (changes) => {
      const [all, transaction] = await rows('readwrite');
      for (const [key, value] of changes)
        if (value === undefined) all.delete(key);
        else all.put(value, key);
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error as Error); // a DOMException
      });
    },
    close: async () => {
      if (opened !== null) (await opened).close();
      opened = null;
    },
  };
}
