import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { setTimeout as delay } from 'node:timers/promises';
import { linkTo, type TcpLink } from '../../scripts/faults/tcp-link.js';
import { ApiError } from '../../src/errors.js';
import type { Database } from '../../src/mongo/database.js';
import { createStore } from '../../src/mongo/store.js';
import { inTransaction } from '../../src/mongo/transaction.js';
import { insertEntry, updateEntry } from '../../src/mongo/write/write-entries.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

interface Row {
  readonly _id: number;
  readonly name?: string;
}

const appName = 'a test of time limits';

describe('a database that does not answer', () => {
  let fresh: FreshDatabase;
  let link: TcpLink;
  let client: MongoClient;
  /** Reached through the link, by commands of 600 ms at most. */
  let database: Database;
  before(async () => {
    fresh = await freshDatabase();
    const { hosts } = fresh.client.options;
    link = await linkTo(hosts[0]?.port ?? 0);
    client = await MongoClient.connect(`mongodb://127.0.0.1:${String(link.port)}/?directConnection=true`, { appName });
    database = databaseOf({ ...fresh, client, db: client.db(fresh.name) }, 600);
    await fresh.db.collection<Row>('rows').insertMany([{ _id: 1 }, { _id: 2 }]);
  });
  afterEach(() => {
    link.unblock();
  });
  after(async () => {
    await client.close();
    await link.close();
    await fresh.drop();
  });

  const insert = (inner: Database, _id: number): Promise<void> =>
    insertEntry({ ...createStore(inner), database: inner }, 'rows', { _id });
  const change = { match: { _id: 1 }, change: { set: { name: 'new' } }, projection: {} };

  const cases: readonly (readonly [name: string, isUnknown: boolean, run: () => Promise<unknown>])[] = [
    [
      'a single write',
      true,
      () => {
        link.block();
        return updateEntry(createStore(database), 'rows', change);
      },
    ],
    [
      'a commit',
      true,
      () =>
        inTransaction(database, async (inner) => {
          await insert(inner, 3);
          link.block();
        }),
    ],
    [
      'a write of a transaction',
      false,
      () =>
        inTransaction(database, async (inner) => {
          await insert(inner, 4);
          link.block();
          await insert(inner, 5);
        }),
    ],
    [
      'a conflict that does not end',
      false,
      () =>
        fresh.client.withSession(async (session) => {
          session.startTransaction();
          await fresh.db.collection<Row>('rows').updateOne({ _id: 2 }, { $set: { name: 'held' } }, { session });
          const store = createStore(database);
          const write = inTransaction(database, (inner) =>
            updateEntry({ ...store, database: inner }, 'rows', { ...change, match: { _id: 2 } }),
          );
          return write.finally(() => session.abortTransaction());
        }),
    ],
  ];
  for (const [name, isUnknown, run] of cases)
    it(`${name}: 503, ${isUnknown ? 'which may have been stored' : 'of which nothing is stored'}`, async () => {
      const error: unknown = await run().catch((thrown: unknown) => thrown);
      if (!(error instanceof ApiError)) throw new Error(`no error: ${String(error)}`);
      expect([error.status, error.details?.['code'] === 'OUTCOME_UNKNOWN']).to.deep.equal([503, isUnknown]);
    });

  it('a session that is ended on the server is not used again', async () => {
    let ended: string | undefined;
    const run = inTransaction(database, async ({ session }) => {
      ended = session?.id?.id.toString('hex');
      await delay(2_300); // longer than a transaction may take here
    });
    expect(await run.catch(({ status }: ApiError) => status)).to.equal(503);
    const used = new Set<string | undefined>();
    for (const ends = performance.now() + 400; performance.now() < ends; await delay(50))
      await client.withSession(({ id }) => Promise.resolve(used.add(id?.id.toString('hex'))));
    expect(used).not.to.include(ended);
  });

  it('no transaction is left open', async () => {
    const isOpen = {
      type: 'idleSession',
      'transaction.timeInactiveMicros': { $gt: 0 },
      'clientMetadata.application.name': appName,
    };
    const open = () =>
      fresh.client
        .db('admin')
        .aggregate([{ $currentOp: { allUsers: true, idleSessions: true } }, { $match: isOpen }])
        .toArray();
    let found = await open();
    for (let tries = 0; found.length > 0 && tries < 100; tries += 1) found = await open();
    expect(found).to.deep.equal([]);
    expect(await fresh.db.collection<Row>('rows').countDocuments({ _id: { $gt: 3 } })).to.equal(0);
  });
});
