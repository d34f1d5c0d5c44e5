import { isFile, type OfflineStore, type Row } from './store.js';

type Result<Value> = Value | Promise<Value>;

/** A connection to a SQLite database. Its functions may be synchronous. */
export interface SqliteConnection {
  /** Runs a statement that returns no rows. */
  run(sql: string, values: readonly unknown[]): unknown;
  /** Returns the rows of a query, as objects. */
  all(sql: string, values: readonly unknown[]): Result<readonly unknown[]>;
  /** Runs statements in a transaction, which is rolled back if they fail. What `work` returns is a promise if `run` returns one. */
  transaction(work: () => unknown): unknown;
  close(): unknown;
}

interface Stored {
  readonly key: string;
  readonly value: string;
  readonly bytes: Uint8Array | null;
}

const table = 'mangrove_offline';
const create = `CREATE TABLE IF NOT EXISTS ${table} (key TEXT PRIMARY KEY, value TEXT NOT NULL, bytes BLOB) WITHOUT ROWID`;
const remove = `DELETE FROM ${table} WHERE key IN (SELECT value FROM json_each(?))`;
const put =
  `INSERT OR REPLACE INTO ${table} (key, value) ` +
  "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)";
const putFile = `INSERT OR REPLACE INTO ${table} (key, value, bytes) VALUES (?, ?, ?)`;

/** Returns a store in a table of a SQLite database. One engine at a time uses it. */
export function sqliteStore(connection: SqliteConnection): OfflineStore {
  let opened: Promise<unknown> | null = null;
  const open = (): Promise<unknown> => (opened ??= Promise.resolve(connection.run(create, [])));
  return {
    rows: async (prefix) => {
      await open();
      const sql = `SELECT key, value FROM ${table} WHERE key >= ? AND key < ? ORDER BY key`;
      const found = (await connection.all(sql, [prefix, `${prefix}\u{10ffff}`])) as readonly Stored[];
      return found.map(({ key, value }): Row => [key, JSON.parse(value)]);
    },
    read: async (key) => {
      await open();
      const [found] = (await connection.all(`SELECT value, bytes FROM ${table} WHERE key = ?`, [key])) as readonly Stored[];
      return found && (found.bytes === null ? JSON.parse(found.value) : fileOf(found));
    },
    write: async (rows) => {
      await open();
      const gone = rows.flatMap(([key, value]) => (value === undefined ? [key] : []));
      const blobs = rows.filter(([, value]) => isBlob(value));
      const texts = rows.flatMap(([key, value]) => (value === undefined || isBlob(value) ? [] : [[key, JSON.stringify(value)]]));
      const files = await Promise.all(blobs.map(async ([key, value]) => [key, ...(await bytesOf(value as BlobLike))]));
      const statements: (readonly [string, readonly unknown[]])[] = [
        [remove, [JSON.stringify(gone)]],
        [put, [JSON.stringify(texts)]],
        ...files.map((values) => [putFile, values] as const),
      ];
      await connection.transaction(() =>
        statements.reduce<unknown>((before, [sql, values]) => {
          const run = (): unknown => connection.run(sql, values);
          return before instanceof Promise ? before.then(run) : run();
        }, undefined),
      );
    },
    close: () => connection.close() as Promise<void>,
  };
}

interface BlobLike {
  readonly type: string;
  readonly name?: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

const isBlob = (value: unknown): boolean => isFile(value) && 'arrayBuffer' in value;

const bytesOf = async (file: BlobLike): Promise<readonly [string, Uint8Array]> => [
  JSON.stringify({ type: file.type, name: file.name }),
  new Uint8Array(await file.arrayBuffer()),
];

/** Returns a file as it was stored. */
function fileOf({ value, bytes }: Stored): unknown {
  const { type, name } = JSON.parse(value) as { readonly type: string; readonly name?: string };
  const parts = [bytes as Uint8Array<ArrayBuffer>];
  return name === undefined ? new Blob(parts, { type }) : new File(parts, name, { type });
}
