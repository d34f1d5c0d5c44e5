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
  abort(): void;
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

/** Rows in a record. Browsers read few large records faster than many small ones; a change of a row writes its whole record. */
const rowsPerRecord = 16;

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

/** Returns the key of the record that has a row: rows whose keys end with near numbers share one, as JSON. */
const recordOf = (key: string): string =>
  key.replace(/\/(\d+)$/, (_, id: string) => `/#${String(Math.floor(Number(id) / rowsPerRecord))}`);

const rowsIn = (value: unknown): readonly Row[] => JSON.parse((value ?? '[]') as string) as readonly Row[];

/** Changes rows of a record that several share. */
async function rewrite(all: Rows, record: string, changes: readonly Row[]): Promise<void> {
  const rows = new Map([...rowsIn(await done(all.get(record))), ...changes]);
  const left = [...rows].filter(([, value]) => value !== undefined);
  if (left.length === 0) all.delete(record);
  else all.put(JSON.stringify(left), record);
}

async function change(all: Rows, changes: readonly Row[]): Promise<void> {
  const shared = new Map<string, Row[]>();
  for (const row of changes) {
    const [key, value] = row;
    const record = recordOf(key);
    if (record !== key) shared.set(record, [...(shared.get(record) ?? []), row]);
    else if (value === undefined) all.delete(key);
    else all.put(value, key);
  }
  await Promise.all([...shared].map(([record, rows]) => rewrite(all, record, rows)));
}

async function writeAll(transaction: Transaction, changes: readonly Row[]): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error as Error); // a DOMException
  });
  const changed = change(transaction.objectStore(rowsName), changes).catch((error: unknown) => {
    if (transaction.error === null) transaction.abort(); // a value cannot be stored: nothing is
    throw error;
  });
  await Promise.all([changed, ended]);
}

/** Returns a store in an IndexedDB database of that name, which all tabs of the origin share. */
export function indexedDbStore(name: string): OfflineStore {
  const { indexedDB, IDBKeyRange } = globalThis as unknown as {
    readonly indexedDB: { open(name: string, version: number): Opening };
    readonly IDBKeyRange: { bound(from: string, to: string): unknown };
  };
  let opened: Promise<Database> | null = null;
  const begin = async (mode: 'readonly' | 'readwrite', isAgain = false): Promise<Transaction> => {
    const used = (opened ??= openDatabase(indexedDB.open(name, 1)));
    try {
      return (await used).transaction(rowsName, mode, { durability: 'strict' });
    } catch (error) {
      if (opened === used) opened = null; // the browser has closed it, or could not open it
      if (isAgain) throw error;
      return begin(mode, true);
    }
  };
  const records = async (): Promise<Rows> => (await begin('readonly')).objectStore(rowsName);
  return {
    name,
    rows: async (prefix) => {
      const all = await records();
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
      const [keys, values] = await Promise.all([done(all.getAllKeys(range)), done(all.getAll(range))]);
      return keys.flatMap((key, index): readonly Row[] => (key.includes('/#') ? rowsIn(values[index]) : [[key, values[index]]]));
    },
    read: async (key) => {
      const record = recordOf(key);
      const found = await done((await records()).get(record));
      return record === key ? found : rowsIn(found).find(([one]) => one === key)?.[1];
    },
    write: async (changes) => writeAll(await begin('readwrite'), changes),
    close: async () => {
      await opened?.then((database) => database.close()).catch(() => undefined); // it may never have been open
      opened = null;
    },
  };
}
