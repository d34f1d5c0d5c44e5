import { expect } from 'chai';
import { collections } from '#model/schema/collections.js';
import { collectionType as model } from '../support/collection-type.js';
import { serveModels, storeModels, type Serving, type TestModel } from '../support/serve.js';

const component = (name: string, attributes: object): TestModel => ({
  uid: `shared.${name}`,
  info: { displayName: name },
  attributes,
});

const string = { type: 'string' } as const;

/** Loads the models of a service until a check holds. */
async function until({ server }: Serving, check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) {
    await server.backend?.models.load();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const isMoving = ({ server }: Serving): boolean => (server.backend?.models.renames.moving().size ?? 0) > 0;

/** Returns the phases of the renames, by the former name. */
async function phases({ database }: Serving): Promise<Readonly<Record<string, string>>> {
  const rows = await database.db
    .collection(collections.settings)
    .find({ _id: /^rename/ as never })
    .toArray();
  return Object.fromEntries(rows.map(({ from, phase }) => [String(from), String(phase)]));
}

/** Lets a rename wait for an instance that does not exist, until the returned function is called. */
async function holdCopying({ database }: Serving): Promise<() => Promise<unknown>> {
  const states = database.db.collection<{ _id: string }>(collections.modelStatus);
  const expiresAt = new Date(Date.now() + 600_000);
  await states.insertOne({ _id: 'other', instance: 'elsewhere:1:x', uid: 'api::tag.tag', expiresAt } as never);
  return () => states.deleteOne({ _id: 'other' });
}

describe('an entry that is deleted while the links to it are moved', function () {
  this.timeout(60_000);
  const link = { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' } as const;
  const links = { ...link, relation: 'oneToMany' } as const;
  const morph = { type: 'relation', relation: 'morphToMany' } as const;
  const box = { type: 'component', repeatable: true, component: 'shared.part' } as const;
  const zone = { type: 'dynamiczone', components: ['shared.part'] } as const;
  const single = { type: 'component', component: 'shared.part' } as const;
  const part = component('part', { note: string, tag: link, tags: links, about: morph });
  const linked = { note: 'n', tag: 1, tags: [1, 2], about: [{ __type: 'api::tag.tag', id: 1 }] };
  const inZone = { __component: 'shared.part', ...linked };
  const rows: readonly (readonly [name: string, to: string, attribute: object, value: unknown])[] = [
    ['box', 'boxes', box, [linked, { note: 'other', tag: 2, tags: [2] }]],
    ['zone', 'zones', zone, [inZone]],
    ['one', 'single', single, linked],
    ['tag', 'label', link, 1],
    ['tags', 'labels', links, [1, 2]],
  ];
  let serving: Serving;
  before(async () => {
    const tag = model('tag', { name: string });
    const types = (isRenamed: boolean): TestModel[] =>
      rows.map(([name, to, attribute], index) =>
        model(`holder${String(index)}`, isRenamed ? { [to]: { ...attribute, renamedFrom: name } } : { [name]: attribute }),
      );
    serving = await serveModels({ models: [part, tag, ...types(false)] });
    for (const name of ['a', 'b']) await serving.call('POST', '/api/tags', { data: { name } });
    for (const [index, [name, , , value]] of rows.entries()) {
      const { status, body } = await serving.call('POST', `/api/holder${String(index)}s`, { data: { [name]: value } });
      expect(status, JSON.stringify(body)).to.equal(200);
    }
    const release = await holdCopying(serving);
    await storeModels(serving.database, types(true));
    await until(serving, () => isMoving(serving));
    const { status, body } = await serving.call('DELETE', '/api/tags/1');
    expect(status, JSON.stringify(body)).to.equal(200);
    await release();
    await until(serving, () => !isMoving(serving));
  });
  after(() => serving.stop());

  for (const [index, [name, to]] of rows.entries())
    it(`is not linked any more: ${name}`, async () => {
      const [row] = await serving.database.db
        .collection(`holder${String(index)}s`)
        .find()
        .toArray();
      expect(row).to.have.property(to);
      expect(row).to.not.have.property(name);
      expect(JSON.stringify(row?.[to])).to.not.match(/"tag":1|\[1|"id":1,"__type"|"__type":"api::tag.tag"|^1$/);
      expect(JSON.stringify(row?.['_ranks'] ?? {})).to.not.include('"1"');
    });
});

describe('a type and the links to it', function () {
  this.timeout(60_000);
  const about = { type: 'relation', relation: 'morphToMany' } as const;
  const on = { type: 'relation', relation: 'morphToOne' } as const;
  const article = model('article', { title: string });
  const other = model('other', { title: string });
  const note = component('note', { on, about, text: string });
  const notes = { type: 'component', repeatable: true, component: 'shared.note' } as const;
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: [article, other, note, model('comment', { about, notes })] });
    for (const plural of ['articles', 'others'])
      expect((await serving.call('POST', `/api/${plural}`, { data: { title: 'x' } })).status).to.equal(200);
    const [link, second] = [article, other].map(({ uid }) => ({ __type: uid, id: 1 }));
    const data = { about: [link, second], notes: [{ on: link }, { on: second, about: [link, second] }, { text: 'none' }] };
    const { status, body } = await serving.call('POST', '/api/comments', { data });
    expect(status, JSON.stringify(body)).to.equal(200);
    await storeModels(serving.database, [model('comment', { links: { ...about, renamedFrom: 'about' }, notes })]);
    await until(serving, async () => (await phases(serving))['about'] === 'switched');
    await storeModels(serving.database, [model('post', { title: string }, { renamedFrom: article.uid })]);
    await until(serving, async () => (await phases(serving))[article.uid] === 'done');
    await until(serving, async () => (await phases(serving))['about'] === 'done');
  });
  after(() => serving.stop());

  it('are renamed at the same time, and links to other types stay', async () => {
    const [row] = await serving.database.db.collection('comments').find().toArray();
    const uids = (value: unknown): string[] => JSON.stringify(value).match(/api::\w+/g) ?? [];
    expect(row?.['about']).to.equal(undefined);
    expect(uids(row?.['links'])).to.deep.equal(['api::post', 'api::other']);
    const [first, second, third] = row?.['notes'] as readonly object[];
    expect(uids(first)).to.deep.equal(['api::post']);
    expect(uids(second).sort()).to.deep.equal(['api::other', 'api::other', 'api::post']);
    expect(uids(third)).to.deep.equal([]);
  });
});

describe('renamedFrom that is removed and comes back', function () {
  this.timeout(60_000);
  const former = model('page', { title: string });
  const renamed = model('page', { headline: { ...string, renamedFrom: 'title' } });
  const without = model('page', { headline: string });
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: [former] });
    await serving.call('POST', '/api/pages', { data: { title: 'x' } });
    await storeModels(serving.database, [renamed]);
    await until(serving, async () => (await phases(serving))['title'] === 'done' && !isMoving(serving));
  });
  after(() => serving.stop());

  const steps: readonly (readonly [what: string, model: TestModel, filter: string])[] = [
    ['removed', without, 'headline'],
    ['back', renamed, 'title'],
    ['removed again', without, 'headline'],
    ['back again', renamed, 'headline'],
  ];
  for (const [what, document, filter] of steps)
    it(`leaves the values where they are: ${what}`, async () => {
      await storeModels(serving.database, [document]);
      await serving.server.backend?.models.load();
      expect(isMoving(serving)).to.equal(false);
      const { body } = await serving.call('GET', `/api/pages?filters[${filter}]=x`);
      expect(body.data[0]?.attributes).to.include({ headline: 'x' }).and.not.have.property('title');
    });

  it('forgets the rename when the former name is an attribute again', async () => {
    await storeModels(serving.database, [model('page', { headline: string, title: string })]);
    await serving.server.backend?.models.load();
    expect(await phases(serving)).to.deep.equal({});
  });
});

describe('an instance that starts while values are copied', function () {
  this.timeout(60_000);
  const indexed = { ...string, index: true } as const;
  let serving: Serving;
  let started: Serving | undefined;
  before(async () => {
    serving = await serveModels({ models: [model('page', { title: indexed }), model('tag', { name: string })] });
    await serving.call('POST', '/api/pages', { data: { title: 'x' } });
  });
  after(async () => {
    await started?.stop();
    await serving.stop();
  });

  it('leaves the indexes that are built for the new name, until it is served', async () => {
    const release = await holdCopying(serving);
    const pages = serving.database.db.collection('pages');
    const names = async (): Promise<readonly (string | undefined)[]> => (await pages.indexes()).map(({ name }) => name);
    await serving.settled();
    const former = (await names()).filter((name) => name?.includes('title'));
    await storeModels(serving.database, [model('page', { headline: { ...indexed, renamedFrom: 'title' } })]);
    await until(serving, () => isMoving(serving));
    const built = former.map((name) => name?.replace('title', 'headline') ?? '');
    for (const name of built) await pages.createIndex({ headline: 1, _id: 1 }, { name });
    started = await serveModels({ models: [], database: serving.database });
    await started.settled();
    expect(built).to.have.length(1);
    expect(await names()).to.include.members([...former, ...built]);
    await release();
    await until(serving, () => !isMoving(serving));
    await serving.settled();
    expect(await names())
      .to.include.members(built)
      .and.not.include.members(former);
  });
});

describe('a renamed attribute with trigrams', function () {
  this.timeout(60_000);
  const search = { type: 'string', search: 'trigram' } as const;
  const titles = Array.from({ length: 1_200 }, (_, index) => ({ _id: index + 1, title: `some words ${String(index)}` }));
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: [model('page', { title: search })], documents: { pages: titles } });
    await serving.server.backend?.models.settled();
    await until(
      serving,
      () => serving.server.backend?.store.database.searches.isComplete({ collection: 'pages', attribute: 'title' }) === true,
    );
    await storeModels(serving.database, [model('page', { headline: { ...search, renamedFrom: 'title' } })]);
    await until(serving, async () => (await phases(serving))['title'] === 'switched');
  });
  after(() => serving.stop());

  it('has them when it is switched', async () => {
    await serving.server.backend?.models.load();
    expect(serving.server.backend?.store.database.searches.isComplete({ collection: 'pages', attribute: 'headline' })).to.equal(
      true,
    );
    const { db } = serving.database;
    const has = { '_trigrams.headline': { $type: 'array' } };
    expect(await db.collection('pages').countDocuments(has)).to.equal(titles.length);
    const build = await db.collection(collections.searches).findOne({ _id: 'pages/headline' as never });
    expect(build?.['state']).to.equal('ready');
    expect((await db.collection('pages').indexes()).map(({ key }) => Object.keys(key).join())).to.include('_trigrams.headline');
  });

  it('is searched with them after that, and none is left under the former name', async () => {
    await until(serving, async () => (await phases(serving))['title'] === 'done' && !isMoving(serving));
    await serving.settled();
    expect(serving.server.backend?.store.database.searches.isComplete({ collection: 'pages', attribute: 'headline' })).to.equal(
      true,
    );
    const { body } = await serving.call('GET', '/api/pages?filters[headline][$containsi]=words 77&fields=headline');
    expect(body.data.map(({ id }: { id: number }) => id)[0]).to.equal(78);
    const former = { '_trigrams.title': { $exists: true } };
    expect(await serving.database.db.collection('pages').countDocuments(former)).to.equal(0);
  });
});
