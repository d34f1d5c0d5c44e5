import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { setTimeout as delay } from 'node:timers/promises';
import { linkTo, type TcpLink } from '../../scripts/prove/faults/tcp-link.js';
import { ApiError } from '#base/errors.js';
import { attemptLimiter } from '#store/stores/attempt-limiter.js';
import type { Database } from '#store/send/database.js';
import { storedCollections } from '#store/send/ensure-collections.js';
import { pollChanges } from '#store/changes/poll-changes.js';
import { recordChange } from '#admin/audit-log.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { claim } from '#store/stores/claim.js';
import { openCodeStore } from '#store/stores/code-store.js';
import { gridStorage } from '#store/stores/grid-chunks.js';
import { localeStore } from '#store/stores/locale-store.js';
import { putLoginState, takeLoginState } from '#accounts/login/login-states.js';
import { removeModel, StoredModels } from '#store/stores/model-store.js';
import { endTokens, findToken, insertToken, useToken } from '#accounts/login/refresh-tokens.js';
import { createStore } from '#store/store.js';
import { inTransaction } from '#store/send/transaction.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { entryStore } from '#store/write/write-entries.js';
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
    entryStore.insert({ ...createStore(inner), database: inner }, 'rows', { _id });
  const change = { match: { _id: 1 }, change: { set: { name: 'new' } }, projection: {} };

  const cases: readonly (readonly [name: string, isUnknown: boolean, run: () => Promise<unknown>])[] = [
    [
      'a single write',
      true,
      () => {
        link.block();
        return entryStore.update(createStore(database), 'rows', change);
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
            entryStore.update({ ...store, database: inner }, 'rows', { ...change, match: { _id: 2 } }),
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

  it('calls of stores: 503, which says of writes that they may have been stored', async () => {
    const never = () => Promise.reject(new Error('it has a claim'));
    const blob = {
      id: blobRecords.newId(),
      provider: 'database',
      key: 'k',
      owner: { host: 'h', pid: 1, instance: 'i' },
      since: new Date(),
    };
    const code = openCodeStore(database);
    const token = { _id: 'a', user: 1, version: 1, family: 'f', expiresAt: new Date(), usedAt: null };
    const limiter = attemptLimiter(database, { collection: 'attempts', max: 5, interval: 1000 });
    const record = { kind: 'command', tokenId: null, who: 'w', at: new Date(), ip: null, what: 'w', body: null } as const;
    const store = createStore(database);
    const reads = {
      token: () => findToken(database, 'a'),
      'code value': () => code.get('a'),
      locales: () => localeStore.read(database),
      'first locale': () => localeStore.createFirst(database, 'en'),
      models: () => new StoredModels(database).read(),
      blobs: () => blobRecords.findPending(database),
      collections: () => storedCollections(['things'], database),
      'greatest id': () => store.ids.next('rows', 1, database),
      changes: () => pollChanges(database, store.changes, null)(),
      'no model': () => removeModel(database, 'a'), // its transaction has not been committed
    };
    const writes = {
      token: () => insertToken(database, token),
      'used token': () => useToken(database, 'a'),
      'ended tokens': () => endTokens(database, { user: 1 }),
      'login state': () => putLoginState(database, { _id: 'a', value: 1, expiresAt: new Date() }),
      'taken state': () => takeLoginState(database, 'a'),
      attempt: () => limiter.count('a'),
      claim: () => claim(database, 'a', { work: never, busy: () => new Error('busy') }),
      'code value': () => code.set('a', 1),
      'no code value': () => code.delete('a'),
      'default locale': () => localeStore.writeDefault(database, 'en'),
      record: () => recordChange(database, record),
      blob: () => blobRecords.insertPending(database, blob),
      'named blob': () => blobRecords.publish(database, [{ id: blob.id, name: 'n', size: 1 }]),
      'no blob': () => blobRecords.deletePending(database, [blob.id]),
      bytes: () => gridStorage(database).write(blob.id, [Buffer.from('bytes')]),
      'no bytes': () => gridStorage(database).remove(blob.id),
      entries: () => bulkWrite(store, 'rows', [{ deleteOne: { filter: { _id: 9 } } }]),
    };
    link.block();
    const codes = (calls: Readonly<Record<string, () => Promise<unknown>>>) =>
      Promise.all(
        Object.entries(calls).map(async ([name, call]) => {
          const error: unknown = await call().catch((thrown: unknown) => thrown);
          return error instanceof ApiError ? [name, error.status, error.details?.['code']] : [name, error];
        }),
      );
    const [read, written] = await Promise.all([codes(reads), codes(writes)]);
    expect(read).to.deep.equal(Object.keys(reads).map((name) => [name, 503, undefined]));
    expect(written).to.deep.equal(Object.keys(writes).map((name) => [name, 503, 'OUTCOME_UNKNOWN']));
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
    // The time limit of the test is the limit.
    while ((await open()).length > 0) await delay(20);
    expect(await fresh.db.collection<Row>('rows').countDocuments({ _id: { $gt: 3 } })).to.equal(0);
  });
});
