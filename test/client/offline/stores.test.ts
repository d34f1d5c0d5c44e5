import { expect } from 'chai';
import sqlite from 'node-sqlite3-wasm';
import { memoryStore, type OfflineStore, type Row } from '#client/offline/offline.js';
import { type SqliteConnection, sqliteStore } from '#client/offline/sqlite.js';

/** A connection to an SQLite of WebAssembly, which needs no compiler and runs on each version of Node. */
function connect(): SqliteConnection & { readonly database: sqlite.Database } {
  const database = new sqlite.Database();
  const within = (work: () => unknown): void => {
    database.exec('BEGIN');
    try {
      work();
      database.exec('COMMIT');
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  return {
    database,
    run: (sql, values) => database.run(sql, values as sqlite.BindValues), // texts and bytes
    all: (sql, values) => database.all(sql, values as sqlite.BindValues),
    transaction: within,
    close: () => database.close(),
  };
}

/** The same with promises, as apps of React Native have it. */
function connectLater(): SqliteConnection {
  const { run, all, close, database } = connect();
  const later = <Value>(work: () => Value): Promise<Value> => new Promise((resolve) => setImmediate(resolve)).then(work);
  return {
    run: (sql, values) => later(() => run(sql, values)),
    all: (sql, values) => later(() => all(sql, values) as readonly unknown[]),
    transaction: async (work) => {
      database.exec('BEGIN');
      try {
        await work();
        database.exec('COMMIT');
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    close,
  };
}

const stores: Readonly<Record<string, () => OfflineStore>> = {
  memory: memoryStore,
  SQLite: () => sqliteStore(connect()),
  'SQLite by promises': () => sqliteStore(connectLater()),
};

describe('the stores of writes while offline', () => {
  for (const [name, open] of Object.entries(stores))
    it(`keep rows and files: ${name}`, async () => {
      const store = open();
      const rows: readonly Row[] = [
        ['u1/e/posts/1', { id: 1, title: 'é "x" \u{1f30a}', tags: [1, null] }],
        ['u1/rev', 7],
        ['u12/e/posts/1', 'other'],
        ['u1.f/$a', new File(['tide'], 'tide.txt', { type: 'text/plain' })],
        ['u1.f/$b', { uri: 'file:///x', name: 'x', type: 'image/png' }],
      ];
      await store.write(rows);
      expect(await store.rows('u1/')).to.have.deep.members(rows.slice(0, 2));
      expect(await store.read('u1/rev')).to.equal(7);
      expect(await store.read('u1/none')).to.equal(undefined);
      const file = (await store.read('u1.f/$a')) as File;
      expect([file.name, file.type, await file.text()]).to.deep.equal(['tide.txt', 'text/plain', 'tide']);
      expect(await store.read('u1.f/$b')).to.deep.equal(rows[4]?.[1]);
      await store.write([
        ['u1/rev', 8],
        ['u1/e/posts/1', undefined],
        ['u1.f/$a', undefined],
      ]);
      expect(await store.rows('u1/')).to.deep.equal([['u1/rev', 8]]);
      expect(await store.read('u1.f/$a')).to.equal(undefined);
      await store.close();
    });

  it('write all rows or none', async () => {
    const connection = connect();
    const store = sqliteStore(connection);
    await store.write([['a', 1]]);
    connection.database.exec("CREATE TRIGGER full BEFORE INSERT ON mangrove_offline BEGIN SELECT RAISE(ABORT, 'full'); END");
    const failed = await Promise.resolve(
      store.write([
        ['b', 2],
        ['a', undefined],
      ]),
    ).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
    expect(await store.rows('')).to.deep.equal([['a', 1]]);
    await store.close();
  });
});
