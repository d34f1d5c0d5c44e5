import { expect } from 'chai';
import { serveModels, type Serving } from '../support/serve.js';

const note = {
  uid: 'api::note.note',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { text: { type: 'string' } },
};

describe('_model_status', () => {
  let first: Serving;
  before(async () => {
    first = await serveModels({ models: [note] });
  });
  after(() => first.stop());

  const rows = (uid: string) => first.database.db.collection('_model_status').find({ uid }).toArray();

  it('has a row for each instance, also for two in one process, and none for those that have stopped', async () => {
    const second = await serveModels({ models: [], database: first.database });
    expect(new Set((await rows(note.uid)).map(({ instance }) => instance as string)).size).to.equal(2);
    await second.stop();
    expect((await rows(note.uid)).length).to.equal(1);
  });

  it('has rows that expire, so that killed instances disappear', async () => {
    const indexes = await first.database.db.collection('_model_status').indexes();
    expect(indexes.map(({ key, expireAfterSeconds }) => ({ key, expireAfterSeconds }))).to.deep.include({
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
    });
    const [row] = await rows(note.uid);
    expect((row?.['expiresAt'] as Date).getTime()).to.be.greaterThan(Date.now());
  });
});
