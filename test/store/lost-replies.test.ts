import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { linkTo, type TcpLink } from '../../scripts/prove/faults/tcp-link.js';
import { endTokens } from '#accounts/login/refresh-tokens.js';
import { ApiError } from '#base/errors.js';
import type { Database } from '#store/send/database.js';
import { DuplicateKey } from '#store/send/driver-errors.js';
import { createStore, type Store } from '#store/store.js';
import { inTransaction } from '#store/send/transaction.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { entryStore } from '#store/write/write-entries.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

interface Row {
  readonly _id: number;
  readonly name?: string;
  readonly code?: string;
}

interface Case {
  readonly name: string;
  /** The command whose reply is lost after it was carried out; null if none is. */
  readonly lost: 'insert' | 'update' | 'findAndModify' | 'delete' | 'commitTransaction' | null;
  readonly run: (store: Store) => Promise<unknown>;
  /** What another program does before the write is repeated. */
  readonly meanwhile?: () => Promise<unknown>;
  /** Whether the server has no transactions, and the driver repeats nothing. */
  readonly isAlone?: true;
  /** What the caller is told. `unknown`: a 503 that says that the write may be stored. */
  readonly outcome: 'done' | 'unknown' | 'duplicate';
}

describe('a write that was carried out although its reply was lost', () => {
  let fresh: FreshDatabase;
  let link: TcpLink;
  let [client, alone]: (MongoClient | undefined)[] = [];
  before(async () => {
    fresh = await freshDatabase();
    link = await linkTo(fresh.client.options.hosts[0]?.port ?? 0);
    const uri = `mongodb://127.0.0.1:${String(link.port)}/?directConnection=true`;
    client = await MongoClient.connect(uri);
    alone = await MongoClient.connect(uri, { retryWrites: false });
  });
  beforeEach(async () => {
    await fresh.db.collection<Row>('rows').deleteMany({});
    await fresh.db.collection<Row>('rows').insertMany([{ _id: 1, name: 'one', code: 'a' }]);
    await fresh.db.collection<Row>('rows').createIndex({ code: 1 }, { unique: true, sparse: true });
  });
  after(async () => {
    await client?.close();
    await alone?.close();
    await link.close();
    await fresh.drop();
  });

  const rows = () => fresh.db.collection<Row>('rows');
  const inside =
    (work: (store: Store) => Promise<unknown>) =>
    (store: Store): Promise<unknown> =>
      inTransaction(store.database, (database) => work({ ...store, database }));
  /** Runs a transaction whose first commit fails, before `then` changes what the second attempt meets. */
  const failingOnce = (work: (store: Store) => Promise<unknown>, then: () => Promise<unknown>) => {
    let attempts = 0;
    return inside(async (store) => {
      const result = await work(store);
      if (attempts++ > 0) return result;
      await fresh.client.db('admin').command({ killSessions: [{ id: store.database.session?.id?.id }] });
      await then();
      return result;
    });
  };
  const takeCode = () => rows().insertOne({ _id: 3, code: 'b' });
  const remove = (store: Store) => entryStore.remove(store, 'rows', { _id: 1 });
  const insert = (store: Store) => entryStore.insert(store, 'rows', { _id: 2, name: 'two', code: 'b' });
  const rename = (match: object) => (store: Store) =>
    entryStore.update(store, 'rows', { match, change: { set: { name: 'new' } } });
  const bulk = (store: Store) =>
    bulkWrite(store, 'rows', [{ updateOne: { filter: { _id: 1 }, update: { $set: { name: 'n' } } } }]);

  const cases: readonly Case[] = [
    { name: 'an insert', lost: 'insert', run: insert, outcome: 'done' },
    { name: 'an update', lost: 'findAndModify', run: rename({ _id: 1 }), outcome: 'done' },
    { name: 'a delete', lost: 'findAndModify', run: remove, outcome: 'unknown' },
    { name: 'an update of what it changes', lost: 'findAndModify', run: rename({ name: 'one' }), outcome: 'unknown' },
    {
      name: 'an insert of what another request changes then',
      lost: 'insert',
      run: insert,
      meanwhile: () => rows().updateOne({ _id: 2 }, { $set: { name: 'other' } }),
      outcome: 'unknown',
    },
    {
      name: 'an update of what another request deletes then',
      lost: 'findAndModify',
      run: rename({ _id: 1 }),
      meanwhile: () => rows().deleteOne({ _id: 1 }),
      outcome: 'unknown',
    },
    {
      name: 'an insert that was undone, of a value that another entry has then',
      lost: 'insert',
      run: insert,
      meanwhile: () => rows().deleteOne({ _id: 2 }).then(takeCode),
      outcome: 'duplicate',
    },
    { name: 'writes in bulk', lost: 'update', run: bulk, outcome: 'done' },
    { name: 'writes in bulk, without transactions', lost: 'update', run: bulk, isAlone: true, outcome: 'unknown' },
    { name: 'a delete, without transactions', lost: 'findAndModify', run: remove, isAlone: true, outcome: 'unknown' },
    { name: 'a delete of a transaction', lost: 'findAndModify', run: inside(remove), outcome: 'done' },
    {
      name: 'an end of refresh tokens during a transaction, which does not hold it',
      lost: 'delete',
      run: inside(async (store) => {
        await insert(store);
        await endTokens(store.database, { user: 1 });
      }),
      outcome: 'done',
    },
    { name: 'a commit of a delete', lost: 'commitTransaction', run: inside(remove), outcome: 'done' },
    { name: 'a commit of an insert', lost: 'commitTransaction', run: inside(insert), outcome: 'done' },
    { name: 'a commit of an update', lost: 'commitTransaction', run: inside(rename({ name: 'one' })), outcome: 'done' },
    {
      name: 'a delete of a transaction that is repeated after its commit',
      lost: null,
      run: failingOnce(remove, () => rows().deleteOne({ _id: 1 })),
      outcome: 'unknown',
    },
    {
      name: 'an insert of a transaction that is repeated so',
      lost: null,
      run: failingOnce(insert, takeCode),
      outcome: 'unknown',
    },
    {
      name: 'an update of a transaction that is repeated so',
      lost: null,
      run: failingOnce(rename({ _id: 1 }), () => Promise.resolve()),
      outcome: 'done',
    },
  ];
  for (const { name, lost, run, meanwhile, isAlone, outcome } of cases)
    it(`${name}: ${outcome}`, async () => {
      const used = isAlone === true ? alone : client;
      if (used === undefined) throw new Error('there is no client');
      const database: Database = { ...databaseOf({ client: used, db: used.db(fresh.name) }), isReplicated: isAlone !== true };
      if (lost !== null) link.loseReply(lost, async () => void (await meanwhile?.()));
      const found = await run(createStore(database)).then((result) => (result === null ? 'nothing' : 'done'), outcomeOf);
      expect(found).to.equal(outcome);
    });

  const outcomeOf = (error: unknown): string => {
    if (error instanceof DuplicateKey) return 'duplicate';
    return error instanceof ApiError && error.details?.['code'] === 'OUTCOME_UNKNOWN' ? 'unknown' : String(error);
  };
});
