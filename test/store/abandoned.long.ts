import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { linkTo, type TcpLink } from '../../scripts/prove/faults/tcp-link.js';
import { AbandonedTransactions } from '#store/send/abandoned.js';
import type { Database } from '#store/send/database.js';
import { createStore } from '#store/store.js';
import { inTransaction } from '#store/send/transaction.js';
import { entryStore } from '#store/write/write-entries.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

interface Row {
  readonly _id: number;
  readonly name?: string;
}

/** The server keeps a transaction for a minute, which is longer than any of these writes may take. */
const limit = 8_000;
const appName = 'a test of abandoned transactions';

describe('a transaction that is open while others write', () => {
  let fresh: FreshDatabase;
  let database: Database;
  before(async () => {
    fresh = await freshDatabase();
    const client = await MongoClient.connect(fresh.uri, { appName });
    database = databaseOf({ ...fresh, client, db: client.db(fresh.name) }, limit);
  });
  after(async () => {
    await database.client.close();
    await fresh.drop();
  });
  beforeEach(async () => {
    await fresh.db.collection<Row>('rows').replaceOne({ _id: 1 }, {}, { upsert: true });
  });

  const update = (inner: Database) =>
    entryStore.update({ ...createStore(inner), database: inner }, 'rows', {
      match: { _id: 1 },
      change: { set: { name: 'new' } },
    });
  const buildIndex = () =>
    database.abandoned.endWhile(() => database.db.collection('rows').createIndex({ name: 1 }, { maxTimeMS: limit }));

  const writes: readonly (readonly [name: string, write: () => Promise<unknown>])[] = [
    ['another transaction', () => inTransaction(database, update)],
    ['a single write', () => update(database)],
    ['an index build', buildIndex],
    ['writes that wait for an index build', () => Promise.all([buildIndex(), inTransaction(database, update), update(database)])],
  ];

  describe('of an instance that has died', () => {
    let link: TcpLink;
    let dead: MongoClient;
    beforeEach(async () => {
      link = await linkTo(fresh.client.options.hosts[0]?.port ?? 0);
      dead = await MongoClient.connect(`mongodb://127.0.0.1:${String(link.port)}/?directConnection=true`, {
        appName,
      });
      const session = dead.startSession();
      session.startTransaction();
      await dead
        .db(fresh.name)
        .collection<Row>('rows')
        .updateOne({ _id: 1 }, { $set: { name: 'lost' } }, { session });
      link.block();
      link.cut();
    });
    afterEach(async () => {
      link.unblock();
      await dead.close();
      await link.close();
    });

    for (const [name, write] of writes)
      it(`is ended for ${name}`, async () => {
        await write();
        const row = await fresh.db.collection<Row>('rows').findOne({ _id: 1 });
        expect(row?.name).to.not.equal('lost');
      });
  });

  it('of an instance that hangs is ended after the maximum duration of a transaction', async () => {
    const abandoned = new AbandonedTransactions({ client: database.client, isSharded: false, longest: 1_500 });
    await database.client.withSession(async (session) => {
      session.startTransaction();
      await database.db.collection<Row>('rows').updateOne({ _id: 1 }, { $set: { name: 'lost' } }, { session });
      expect(await update({ ...database, abandoned })).to.deep.equal({ _id: 1, name: 'new' });
      const failure: unknown = await session.commitTransaction().catch((error: unknown) => error);
      expect(failure).to.have.property('codeName', 'NoSuchTransaction');
    });
  });

  it('of a running instance is not ended, and commits', async () => {
    // A writer with little time, which lets transactions get as old as the other one does.
    const { abandoned } = database;
    const other = { ...databaseOf({ ...fresh, client: database.client, db: database.db }, 1_200), abandoned };
    const statuses = await database.client.withSession(async (session) => {
      session.startTransaction();
      await database.db.collection<Row>('rows').updateOne({ _id: 1 }, { $set: { name: 'held' } }, { session });
      const answers = await Promise.all(
        [update(other), inTransaction(other, update)].map((write) => write.catch((error: unknown) => error)),
      );
      await session.commitTransaction();
      return answers.map((answer) => (answer as { readonly status?: number }).status);
    });
    expect(statuses).to.deep.equal([503, 503]);
    expect((await fresh.db.collection<Row>('rows').findOne({ _id: 1 }))?.name).to.equal('held');
  });
});
