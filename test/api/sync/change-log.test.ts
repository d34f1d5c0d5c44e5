import { expect } from 'chai';
import type { Database } from '#store/send/database.js';
import { type FieldsOf, type LogState, type StoredChange, syncLog } from '#store/stores/change-log.js';
import { writeChanges } from '#store/stores/write-changes.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';

/** A writer of the log that is started again whenever it ends, as the job of a service is. */
interface Writer {
  /** Ends the run, which another one follows. */
  readonly interrupt: () => void;
  readonly stop: () => Promise<void>;
  /** Messages of errors. */
  readonly failures: string[];
}

/** Collections without recorded fields. */
const following = (...names: readonly string[]): FieldsOf => new Map(names.map((name) => [name, new Set()]));

const warn = (text: string): never => {
  throw new Error(text);
};

describe('the change log', () => {
  let fresh: FreshDatabase;
  let database: Database;
  let writers: Writer[] = [];
  let followed = following('a', 'b');

  beforeEach(async () => {
    fresh = await freshDatabase();
    database = databaseOf(fresh);
    followed = following('a', 'b');
  });
  afterEach(async () => {
    for (const { stop } of writers) await stop();
    writers = [];
    await fresh.drop();
  });

  const start = (retention = 3_600): Writer => {
    let isOver = false;
    let run = new AbortController();
    const failures: string[] = [];
    const again = async (): Promise<void> => {
      while (!isOver) {
        run = new AbortController();
        await writeChanges(database, { followed: () => Promise.resolve(followed), retention, signal: run.signal, warn }).catch(
          (error: unknown) => failures.push(String(error)),
        );
      }
    };
    const ended = again();
    const stop = async (): Promise<void> => {
      isOver = true;
      run.abort();
      await ended;
    };
    writers.push({ failures, stop, interrupt: () => run.abort() });
    return { failures, stop, interrupt: () => run.abort() };
  };
  const rows = (name: string) => fresh.db.collection<{ _id: number }>(name);
  const logOf = () => fresh.db.collection<StoredChange>('_changes');
  const changes = () =>
    logOf()
      .find({ token: { $gt: '' } })
      .sort({ _id: 1 })
      .toArray();
  const state = async (): Promise<LogState> => {
    for (;;) {
      const found = await syncLog.readState(database);
      if (found !== null) return found;
    }
  };
  /** Resolves when the log has a change of a document. */
  const logged = async (collection: string, id: number): Promise<void> => {
    while ((await logOf().findOne({ collection, id })) === null);
  };
  /** Expects that the log has no gap and nothing twice. */
  const expectDense = (log: readonly StoredChange[]): void => {
    for (const [index, change] of log.entries()) {
      const before = log[index - 1];
      if (before === undefined) continue;
      expect(change._id).to.equal(before._id + 1);
      if (change.before !== null) expect(change.before).to.equal(syncLog.markOf(before.token));
      if (change.kind !== 'reset' && before.kind !== 'reset') expect(change.token > before.token).to.equal(true);
    }
  };

  it('has the changes of followed collections, in the order of their commits, with the names of changed fields', async () => {
    start();
    await state();
    await rows('a').insertOne({ _id: 1, x: { y: 1 }, list: [1, 2, 3], text: 'long '.repeat(100) } as { _id: number });
    await rows('c').insertOne({ _id: 1 });
    await rows('a').updateOne({ _id: 1 }, { $set: { 'x.y': 2, z: 1 }, $unset: { w: 1 } } as object);
    await rows('a').updateOne({ _id: 1 }, [{ $set: { list: { $slice: ['$list', 1] } } }, { $unset: 'z' }]);
    await rows('a').replaceOne({ _id: 1 }, { q: 1 } as object);
    await rows('a').deleteOne({ _id: 1 });
    await rows('b').insertOne({ _id: 9 });
    await logged('b', 9);
    const [reset, ...log] = await changes();
    expect(reset).to.include({ kind: 'reset', collection: null, before: null });
    expect(log.map(({ collection, kind, id, fields }) => [collection, kind, id, ...(fields?.toSorted() ?? [])])).to.deep.equal([
      ['a', 'insert', 1],
      ['a', 'update', 1, 'x', 'z'],
      ['a', 'update', 1, 'list', 'z'],
      ['a', 'replace', 1],
      ['a', 'delete', 1],
      ['b', 'insert', 9],
    ]);
  });

  it('has each change once, whoever writes it, and however often the writers are interrupted', async () => {
    const both = [start(), start()];
    await state();
    for (let _id = 1; _id <= 300; _id += 1) {
      await rows(_id % 2 === 0 ? 'a' : 'b').insertOne({ _id });
      if (_id % 40 === 0) both[_id % 3 === 0 ? 0 : 1]?.interrupt();
    }
    await logged('a', 300);
    const log = await changes();
    expectDense(log);
    const ids = log.flatMap(({ kind, id }) => (kind === 'insert' ? [id] : []));
    expect(ids).to.deep.equal(Array.from({ length: 300 }, (_, index) => index + 1));
  });

  it('has what is committed late after what was committed before', async () => {
    start();
    await state();
    await rows('a').insertMany([{ _id: 1 }, { _id: 2 }]);
    await fresh.client.withSession(async (session) => {
      session.startTransaction();
      await rows('a').updateOne({ _id: 1 }, { $set: { first: true } } as object, { session });
      await rows('a').updateOne({ _id: 2 }, { $set: { second: true } } as object);
      await rows('b').insertOne({ _id: 1 });
      await logged('b', 1);
      await session.commitTransaction();
    });
    await rows('b').insertOne({ _id: 2 });
    await logged('b', 2);
    const log = await changes();
    expectDense(log);
    expect(log.slice(-4).map(({ collection, id }) => `${String(collection)} ${String(id)}`)).to.deep.equal([
      'a 2',
      'b 1',
      'a 1',
      'b 2',
    ]);
  });

  it('misses nothing while there is no writer', async () => {
    const first = start();
    await state();
    await rows('a').insertOne({ _id: 1 });
    await logged('a', 1);
    await first.stop();
    await rows('a').insertOne({ _id: 2 });
    start();
    await logged('a', 2);
    expectDense(await changes());
    expect((await changes()).map(({ kind }) => kind)).to.deep.equal(['reset', 'insert', 'insert']);
  });

  const setState = (values: object) =>
    fresh.db.collection<{ _id: string }>('_changes').updateOne({ _id: 'log' }, { $set: values });
  const spoilt: readonly (readonly [what: string, values: object])[] = [
    ['its position is lost', { position: { _data: '82' } }],
    ['its state is older than its changes, as after a restore', { seq: 1 }],
  ];
  for (const [what, values] of spoilt)
    it(`begins a new epoch if ${what}`, async () => {
      const first = start();
      const before = await state();
      await rows('a').insertOne({ _id: 1 });
      await logged('a', 1);
      await first.stop();
      await setState(values);
      start();
      await rows('a').insertOne({ _id: 2 });
      let now = before;
      while (now.epoch === before.epoch) now = await state();
      await rows('a').insertOne({ _id: 3 });
      await logged('a', 3);
      const log = await changes();
      expectDense(log);
      const [reset, insert, again] = log;
      expect([reset?.kind, insert?.kind, again?.kind]).to.deep.equal(['reset', 'insert', 'reset']);
      expect([reset?.before, again?.before]).to.deep.equal([null, null]);
    });

  it('resets a collection that it follows from now on', async () => {
    start();
    await state();
    await rows('c').insertOne({ _id: 1 });
    followed = following('a', 'b', 'c');
    while (!(await state()).followed.includes('c'));
    await rows('c').insertOne({ _id: 2 });
    await logged('c', 2);
    const log = await changes();
    expectDense(log);
    const ofC = log.filter(({ collection }) => collection === 'c');
    expect(ofC.map(({ kind }) => kind)).to.deep.equal(['reset', ...ofC.slice(1).map(() => 'insert')]);
  });

  it('resets a collection that is dropped or replaced, and all with their database', async () => {
    start();
    await state();
    await rows('a').insertOne({ _id: 1 });
    await rows('a').drop();
    await rows('c').insertOne({ _id: 1 });
    await rows('c').rename('b');
    await rows('a').insertOne({ _id: 2 });
    await logged('a', 2);
    expect((await changes()).slice(1).map(({ kind, collection }) => `${kind} ${String(collection)}`)).to.deep.equal([
      'insert a',
      'reset a',
      'reset b',
      'insert a',
    ]);
  });

  it('applies another retention', async () => {
    for (const seconds of [100, 200]) {
      const writer = start(seconds);
      await state();
      const indexes = async () => await fresh.db.collection('_changes').indexes();
      while ((await indexes()).find(({ name }) => name === 'at_1')?.['expireAfterSeconds'] !== seconds);
      await writer.stop();
    }
  });
});
