import { expect } from 'chai';
import type { Document } from 'mongodb';
import { modelStates } from '#store/models/model-states.js';
import { packageVersion } from '#base/package-root.js';
import { serveModels, storeModels, type Serving } from '../support/serve.js';

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

  it('has all rows of an instance again that was suspended until they were deleted', async () => {
    const read = async () => (await first.database.db.collection('_model_status').find().sort({ _id: 1 }).toArray()).map(state);
    const state = ({ _id, state, revision, problems }: Document): unknown => ({ _id: _id as unknown, state, revision, problems });
    const before = await read();
    expect(before.length).to.be.greaterThan(1);
    await first.database.db.collection('_model_status').deleteMany({});
    await first.server.backend?.models.status.keepAlive();
    expect(await read()).to.deep.equal(before);
  });

  it('tells the version of Mangrove and a revision, which is another one after each change and the same for the same model', async () => {
    const state = async () => {
      await first.settled();
      const [row] = await rows(note.uid);
      return { version: row?.['version'] as string, revision: row?.['revision'] as string, state: row?.['state'] as string };
    };
    const before = await state();
    expect(before).to.include({ version: packageVersion, state: 'active' });
    expect(before.revision).to.match(/^[0-9a-f]{8}$/);
    await storeModels(first.database, [{ ...note, attributes: { text: { type: 'string' }, more: { type: 'integer' } } }]);
    const changed = await state();
    expect(changed.revision)
      .to.match(/^[0-9a-f]{8}$/)
      .and.not.equal(before.revision);
    await storeModels(first.database, [{ ...note, attributes: 1 }]);
    expect(await state()).to.deep.equal({ ...changed, state: 'refused' });
    await storeModels(first.database, [note]);
    expect(await state()).to.deep.equal(before);
  });

  it('tells the state of searches only of types with the option', async () => {
    const searchOf = async (attributes: object) => {
      await storeModels(first.database, [{ ...note, attributes }]);
      await first.settled();
      return (await rows(note.uid))[0];
    };
    expect(await searchOf({ text: { type: 'string', search: 'trigram' } })).to.have.nested.property('search.attributes');
    expect(await searchOf(note.attributes)).to.not.have.property('search');
  });

  it('lists the instances that are alive with what they serve', async () => {
    const second = await serveModels({ models: [], database: first.database });
    const { database } = first.server.backend?.store ?? expect.fail();
    const found = await modelStates.readInstances(database, 10);
    expect(found.map(({ version, refused }) => [version, refused])).to.deep.equal([
      [packageVersion, 0],
      [packageVersion, 0],
    ]);
    expect(new Set(found.map(({ revision }) => revision)).size).to.equal(1);
    expect(found[0]?.models).to.be.greaterThan(0);
    for (const { heartbeat } of found) expect(Math.abs(Date.now() - heartbeat.getTime())).to.be.below(300_000);
    expect(await modelStates.readInstances(database, 1)).to.have.length(1);
    expect(await modelStates.read(database, [note.uid], 10)).to.have.length(2);
    const dead = await first.database.db.collection('_model_status').findOne({ uid: note.uid });
    await first.database.db
      .collection('_model_status')
      .updateMany({ instance: dead?.['instance'] }, { $set: { expiresAt: new Date(0) } });
    expect((await modelStates.readInstances(database, 10)).map(({ name }) => name)).not.to.include(dead?.['instance']);
    expect(await modelStates.read(database, [note.uid], 10)).to.have.length(1);
    await second.stop();
  });
});
