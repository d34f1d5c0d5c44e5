import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { features } from '#features.js';
import { modelSettings } from '#http/feature.js';
import type { Model } from '#model/schema/model.js';
import { purgeCollection } from '#store/models/purge-collection.js';
import { type ModelsNow, removedData } from '#store/models/removed-data.js';
import { type OwnCollection, ownCollections } from '#store/send/own-collections.js';
import { readModels, removeModel, writeModels } from '#store/stores/model-store.js';
import { removedParts } from '#store/stores/removed-store.js';
import { collectionType } from '../support/collection-type.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

describe('the data of removed models', () => {
  let database: FreshDatabase;
  before(async () => (database = await freshDatabase()));
  after(() => database.drop());

  const rows = () => database.db.collection<{ _id: number; title?: string }>('pages');
  const titles = async (): Promise<unknown[]> => (await rows().find().sort({ _id: 1 }).toArray()).map(({ title }) => title);
  const names = async (): Promise<string[]> =>
    (await database.db.listCollections().toArray()).map(({ name }) => name).filter((name) => name.includes('pages'));
  const noUser = (): Promise<null> => Promise.resolve(null);

  it('is deleted, also after the process was killed on the way', async () => {
    await rows().insertMany([{ _id: 1 }, { _id: 2 }]);
    expect(await purgeCollection('pages', noUser, databaseOf(database))).to.equal(2);
    expect(await names()).to.deep.equal([]);
    await database.db.collection<{ _id: number }>('_purged_pages').insertOne({ _id: 1 });
    expect(await purgeCollection('pages', noUser, databaseOf(database))).to.equal(1);
    expect(await purgeCollection('pages', noUser, databaseOf(database))).to.equal(0);
    expect(await names()).to.deep.equal([]);
  });

  for (const [what, write, after] of [
    ['nothing was written', async () => undefined, ['one', 'two']],
    [
      'entries were written',
      async () => void (await rows().insertMany([{ _id: 2, title: 'new' }, { _id: 3 }])),
      ['one', 'new', undefined],
    ],
  ] as const)
    it(`stays if a model begins to use the collection meanwhile: ${what}`, async () => {
      await rows().deleteMany({});
      await rows().insertMany([
        { _id: 1, title: 'one' },
        { _id: 2, title: 'two' },
      ]);
      const begin = async (): Promise<string> => {
        await write();
        return 'api::page.page';
      };
      const error = await purgeCollection('pages', begin, databaseOf(database)).catch(String);
      expect(error).to.equal('Error: the collection pages belongs to api::page.page now');
      expect([await titles(), await names()]).to.deep.equal([after, ['pages']]);
    });

  const gone = {
    uid: 'api::page.page',
    attribute: null,
    definition: collectionType('page', { title: { type: 'string' } }),
    at: new Date(),
  };
  const now: ModelsNow = {
    documents: [],
    retainedCollections: new Map(),
    settings: modelSettings(features, createConfig({ environment: 'test' })),
  };

  /** Leaves the documents aside, as a deletion that ends behind its renaming. */
  const interrupt = async (): Promise<void> => {
    await rows().deleteMany({});
    await rows().insertMany([{ _id: 1, title: 'one' }]);
    const error = await purgeCollection('pages', () => Promise.reject(new Error('away')), databaseOf(database)).catch(String);
    expect([error, await names()]).to.deep.equal(['Error: away', ['_purged_pages']]);
  };

  it('is counted and put back by a restore after an interrupted deletion', async () => {
    await interrupt();
    expect(await removedData.count(gone, now, databaseOf(database))).to.equal(1);
    await removedData.putBack(gone, now, databaseOf(database));
    expect([await titles(), await names()]).to.deep.equal([['one'], ['pages']]);
    await removedData.putBack(gone, now, databaseOf(database)); // nothing is aside
    expect(await titles()).to.deep.equal(['one']);
  });

  it('is put back by a deletion that finds another model with the collection after an interrupted one', async () => {
    await interrupt();
    await rows().insertMany([{ _id: 2, title: 'new' }]);
    const other = { ...now, documents: [{ ...gone.definition, uid: 'api::leaf.leaf' }] };
    const error = await removedData.purge(gone, other, databaseOf(database)).catch(String);
    expect(error).to.equal('Error: the collection pages belongs to api::leaf.leaf now');
    expect([await titles(), await names()]).to.deep.equal([['one', 'new'], ['pages']]);
  });

  it('is listed and deleted after an interrupted deletion, also if there is a new type with the uid, which keeps its own', async () => {
    const inside = databaseOf(database);
    await interrupt();
    await writeModels(inside, [collectionType('page', { title: { type: 'string' } }) as unknown as Model]);
    await removeModel(inside, gone.uid);
    const again = { ...now, documents: [{ ...gone.definition, uid: gone.uid }] };
    await rows().insertMany([
      { _id: 2, title: 'new' },
      { _id: 3, title: 'newer' },
    ]);
    const [left] = await removedData.readLeft(again, inside);
    if (left === undefined) throw new Error('documents are aside');
    expect([left.uid, await removedData.count(left, again, inside)]).to.deep.equal([gone.uid, 1]);
    expect(await removedData.purge(left, again, inside)).to.equal(1);
    expect([await titles(), await names()]).to.deep.equal([['new', 'newer'], ['pages']]);
    expect(await removedData.readLeft(again, inside)).to.deep.equal([]);
    const error = await removedData.purge(left, again, inside).catch(String);
    expect(error).to.equal('Error: api::page.page is in use again');
  });

  it('is listed and deleted if a new type with the uid uses another collection, but not if another type uses its own', async () => {
    const inside = databaseOf(database);
    await rows().deleteMany({});
    await rows().insertMany([{ _id: 1 }, { _id: 2 }]);
    const model = (name: string) => collectionType(name, { title: { type: 'string' } }) as unknown as Model;
    await writeModels(inside, [model('page')]);
    await removeModel(inside, gone.uid);
    const elsewhere = { ...now, documents: [{ ...model('page'), collectionName: 'leaves' }] };
    const used = { ...now, documents: [...elsewhere.documents, { ...model('leaf'), collectionName: 'pages' }] };
    expect(await removedData.readLeft(used, inside)).to.deep.equal([]);
    expect(await removedData.purge(gone, used, inside).catch(String)).to.equal(
      'Error: the collection pages belongs to api::leaf.leaf now',
    );
    const [left] = await removedData.readLeft(elsewhere, inside);
    expect([left?.uid, await removedData.count(gone, elsewhere, inside)]).to.deep.equal([gone.uid, 2]);
    expect(() => removedData.withPart(gone, elsewhere)).to.throw('api::page.page is in use again');
    expect(await removedData.purge(gone, elsewhere, inside)).to.equal(2);
    expect([await names(), await removedData.readLeft(elsewhere, inside)]).to.deep.equal([[], []]);
  });

  it('is deleted with what own collections have of its entries, unless there is a type with the uid', async () => {
    const kept: OwnCollection = { name: '_kept', backup: 'whole', hasEntries: true };
    const inside = { ...databaseOf(database), ownCollections: ownCollections([kept]) };
    const left = () => database.db.collection('_kept').countDocuments({ uid: gone.uid });
    await database.db.collection('_kept').insertMany([{ uid: gone.uid }, { uid: 'api::leaf.leaf' }]);
    for (const [documents, expected] of [
      [[collectionType('page', {}, { collectionName: 'leaves' })], 1],
      [[], 0],
    ] as const) {
      await rows().insertOne({ _id: 1 });
      expect(await removedData.purge(gone, { ...now, documents }, inside)).to.equal(1);
      expect(await left()).to.equal(expected);
    }
    expect(await database.db.collection('_kept').countDocuments()).to.equal(1);
  });

  it('is restored with its rights, or not at all', async () => {
    const inside = databaseOf(database);
    const model = collectionType('page', { title: { type: 'string' } }) as unknown as Model;
    await writeModels(inside, [model]);
    await removeModel(inside, model.uid);
    const [part] = await removedParts.read(inside);
    if (part === undefined) throw new Error('the model is removed');
    const unfit = { roles: [], administrators: [], tokens: [{ _id: 1, permissions: 'none' }] } as never;
    await removedData.restore({ ...part, rights: unfit }, model, now, inside).catch(() => undefined);
    expect([await readModels(inside), (await removedParts.read(inside)).length]).to.deep.equal([[], 1]);
    await removedData.restore(part, model, now, inside);
    expect([(await readModels(inside)).length, await removedParts.read(inside)]).to.deep.equal([1, []]);
  });
});
