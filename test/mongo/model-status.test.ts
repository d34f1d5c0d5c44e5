import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveModels, type Serving } from '../support/serve.js';

const note = {
  uid: 'api::note.note',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { text: { type: 'string' } },
};

describe('_model_status', () => {
  let first: Serving;
  let log: Log;
  before(async () => {
    log = await createLog();
    first = await serveModels({ models: [note], logger: log.logger });
  });
  after(() => first.stop());

  const rows = (uid: string) => first.database.db.collection('_model_status').find({ uid }).toArray();

  it('has a row for each instance, two in one process too, and none for those that have stopped', async () => {
    const second = await serveModels({ models: [], database: first.database });
    expect(new Set((await rows(note.uid)).map(({ instance }) => instance as string)).size).to.equal(2);
    await second.stop();
    expect((await rows(note.uid)).length).to.equal(1);
  });

  it('forgets instances that were killed: their rows expire', async () => {
    const indexes = await first.database.db.collection('_model_status').indexes();
    expect(indexes.map(({ key, expireAfterSeconds }) => ({ key, expireAfterSeconds }))).to.deep.include({
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
    });
    const [row] = await rows(note.uid);
    expect((row?.['expiresAt'] as Date).getTime()).to.be.greaterThan(Date.now());
  });

  it('has a model that could not be put in force at first: it is read again without another change', async () => {
    const { db } = first.database;
    const book = { ...note, uid: 'api::book.book', info: { singularName: 'book', pluralName: 'books', displayName: 'Book' } };
    const { uid, ...rest } = book;
    await db.command({ collMod: '_collections', validator: { $expr: false } });
    await db.collection<{ _id: string }>('_models').insertOne({ _id: uid, ...rest });
    while (!log.lines.some(({ msg }) => String(msg).startsWith('models could not be read'))) await delay(20);
    expect((await first.call('GET', '/api/books')).status).to.equal(404);
    await db.command({ collMod: '_collections', validator: {} });
    while ((await first.call('GET', '/api/books')).status === 404) await delay(50);
    expect((await rows(uid)).map(({ state }) => state as unknown)).to.deep.equal(['active']);
  });
});
