import { expect } from 'chai';
import { buildRegistry } from '#model/schema/build-registry.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { collectionType as model } from '../support/collection-type.js';
import { serveModels, storeModels, type Serving, type TestModel } from '../support/serve.js';
import { assertUnharmed, type Load, startLoad } from './rename-load.js';

const component = (name: string, attributes: object): TestModel => ({
  uid: `shared.${name}`,
  info: { displayName: name },
  attributes,
});

const string = { type: 'string' } as const;
const localized = { pluginOptions: { i18n: { localized: true } } };
const tags = { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' } as const;

/** Models before, and the same ones after attributes were renamed. */
const former: readonly TestModel[] = [
  model('scalar', { title: { ...string, unique: true, index: true }, slug: { type: 'uid', targetField: 'title' } }),
  model('linked', { tags: { ...tags, inversedBy: 'links' }, cover: { type: 'media', multiple: false } }),
  model('tag', { name: string, links: { ...tags, target: 'api::linked.linked', mappedBy: 'tags' } }),
  component('part', { code: { ...string, unique: true }, note: string }),
  component('outer', { parts: { type: 'component', repeatable: true, component: 'shared.part' } }),
  model('nested', {
    one: { type: 'component', component: 'shared.part' },
    many: { type: 'component', repeatable: true, component: 'shared.part' },
    deep: { type: 'component', component: 'shared.outer' },
    zone: { type: 'dynamiczone', components: ['shared.part', 'shared.outer'] },
    box: { type: 'component', repeatable: true, component: 'shared.part' },
  }),
  model('spoken', { title: { ...string, ...localized } }, localized),
  model('zoned', { zone: { type: 'dynamiczone', components: ['shared.part'] }, old: { type: 'json' } }),
];

const renamed: readonly TestModel[] = [
  model('scalar', {
    headline: { ...string, unique: true, index: true, renamedFrom: 'title' },
    slug: { type: 'uid', targetField: 'headline' },
  }),
  model('linked', {
    labels: { ...tags, inversedBy: 'links', renamedFrom: 'tags' },
    image: { type: 'media', multiple: false, renamedFrom: 'cover' },
  }),
  model('tag', { name: string, links: { ...tags, target: 'api::linked.linked', mappedBy: 'labels' } }),
  component('part', { number: { ...string, unique: true, renamedFrom: 'code' }, note: string }),
  model('nested', {
    one: { type: 'component', component: 'shared.part' },
    many: { type: 'component', repeatable: true, component: 'shared.part' },
    deep: { type: 'component', component: 'shared.outer' },
    zone: { type: 'dynamiczone', components: ['shared.part', 'shared.outer'] },
    boxes: { type: 'component', repeatable: true, component: 'shared.part', renamedFrom: 'box' },
  }),
  model('spoken', { headline: { ...string, ...localized, renamedFrom: 'title' } }, localized),
  model('zoned', {
    sections: { type: 'dynamiczone', components: ['shared.part'], renamedFrom: 'zone' },
    data: { type: 'json', renamedFrom: 'old' },
  }),
];

/** Entries over the API, by plural name, under the former names. */
const entries: readonly (readonly [plural: string, data: object])[] = [
  ['tags', { name: 'a' }],
  ['tags', { name: 'b' }],
  ['scalars', { title: 'one', slug: 'one' }],
  ['scalars', { title: 'two', slug: 'two' }],
  ['linkeds', { tags: [2, 1] }],
  [
    'nesteds',
    {
      one: { code: 'c1', note: 'n' },
      many: [{ code: 'c2' }, { code: 'c3' }],
      deep: { parts: [{ code: 'c4' }] },
      zone: [
        { __component: 'shared.part', code: 'c5' },
        { __component: 'shared.outer', parts: [{ code: 'c6' }] },
      ],
      box: [{ code: 'c7' }],
    },
  ],
  ['spokens', { title: 'hello' }],
  ['zoneds', { zone: [{ __component: 'shared.part', code: 'z' }], old: { a: 1 } }],
];

/** Requests, and a part of their answers before and after. */
const reads: readonly (readonly [path: string, expected: unknown, pick: (data: never) => unknown])[] = [
  ['/scalars?sort=title:desc&fields=title', ['two', 'one'], (data: Entries) => data.map(valueOf('title', 'headline'))],
  ['/scalars?filters[title]=two', ['two'], (data: Entries) => data.map(valueOf('title', 'headline'))],
  ['/linkeds?populate=tags', [['a', 'b']], (data: Entries) => data.map((one) => namesIn(valueOf('tags', 'labels')(one)).sort())],
  ['/linkeds?filters[tags][name]=b', [1], (data: Entries) => data.map(({ id }) => id)],
  ['/tags/1?populate=links', [1], ({ attributes }: Entry) => (attributes['links'] as { data: Entries }).data.map(({ id }) => id)],
  ['/nesteds/1?populate=deep', codes('c1,c2,c3,c4,c5,c6,c7'), codesIn],
  ['/nesteds?filters[many][code]=c3', [1], (data: Entries) => data.map(({ id }) => id)],
  ['/spokens', ['hello'], (data: Entries) => data.map(valueOf('title', 'headline'))],
  ['/zoneds/1?populate=*', 'z', ({ attributes }: Entry) => codesIn({ attributes } as never).join()],
  ['/zoneds/1', 1, (one: Entry) => (valueOf('old', 'data')(one) as { a: number }).a],
];

interface Entry {
  readonly id: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}
type Entries = readonly Entry[];

const valueOf =
  (...names: readonly string[]) =>
  ({ attributes }: Entry): unknown =>
    names.map((name) => attributes[name]).find((value) => value !== undefined);

const namesIn = (value: unknown): unknown[] => (value as { data: Entries }).data.map(({ attributes }) => attributes['name']);

function codes(list: string): readonly string[] {
  return list.split(',');
}

/** Returns the codes or numbers in a value, at any depth, in order. */
function codesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(codesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([key, inner]) => ((key === 'code' || key === 'number') && typeof inner === 'string' ? [inner] : codesIn(inner)))
    .sort();
}

/** Resolves when no rename is under way on any of these instances. */
async function moved(...services: readonly Serving[]): Promise<void> {
  for (const { server } of services)
    for (;;) {
      const { models } = server.backend ?? {};
      if (models === undefined) throw new Error('not connected');
      await models.load();
      if (models.renames.moving().size === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

const populated = 'populate[one]=*&populate[many]=*&populate[deep][populate]=*&populate[zone][populate]=*&populate[box]=*';

const comments = { type: 'relation', relation: 'morphMany', target: 'api::comment.comment', morphBy: 'about' };
const authored = { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'works' };
const author = (target: string) =>
  model('author', { name: string, works: { type: 'relation', relation: 'oneToMany', target, mappedBy: 'author' } });
const comment = model('comment', {
  about: { type: 'relation', relation: 'morphToMany' },
  on: { type: 'relation', relation: 'morphToOne' },
});
const article = model('article', { title: string, comments, author: authored });
const post = model('post', { title: string, comments, author: authored }, { renamedFrom: 'api::article.article' });

const busy = (attributes: object): TestModel => model('busy', attributes, { collectionName: 'busies' });
const ids = Array.from({ length: 2_000 }, (_, index) => index + 1);

/** Models that are renamed while the service runs, on two instances, of which one hears of them a second later. */
describe('renamedFrom', function () {
  this.timeout(60_000);
  let database: FreshDatabase;
  let first: Serving;
  let second: Serving;
  let load: Load;
  let release = (): void => undefined;
  const services = (): readonly Serving[] => [first, second];

  before(async () => {
    database = await freshDatabase();
    const documents = { busies: ids.map((_id) => ({ _id, title: `title ${String(_id)}` })) };
    const models = [...former, article, author(article.uid), comment, busy({ title: { ...string, unique: true } })];
    first = await serveModels({ models, documents, database });
    second = await serveModels({ models: [], database });
    const link = { __type: article.uid, id: 1 };
    for (const [plural, data] of [
      ...entries,
      ['authors', { name: 'a' }],
      ['articles', { title: 'one', author: 1 }],
      ['comments', { about: [link], on: link }],
    ] as const) {
      const { status, body } = await first.call('POST', `/api/${plural}`, { data });
      expect(status, `${plural} ${JSON.stringify(body)}`).to.equal(200);
    }
    await database.db.collection('up_permissions').insertOne({ _id: 999 as never, action: 'api::article.article.find', role: 2 });
    await checkAttributes(first);
    release = holdBack(second);
    load = startLoad({ services: services(), plural: 'busys', names: ['title', 'headline'], ids, perSecond: 200 });
    const busyAfter = busy({ headline: { ...string, unique: true, renamedFrom: 'title' } });
    await storeModels(database, [...renamed, post, author(post.uid), busyAfter]);
  });
  after(async () => {
    await load.stop();
    await second.stop();
    await first.stop();
    await database.drop();
  });

  const checkAttributes = async (serving: Serving): Promise<void> => {
    for (const [path, expected, pick] of reads) {
      const { status, body } = await serving.call('GET', `/api${path.replace('populate=deep', populated)}`);
      expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
      expect(pick(body.data as never), `${path} ${JSON.stringify(body)}`).to.deep.equal(expected);
    }
  };
  const checkType = async (serving: Serving): Promise<void> => {
    const paths = ['articles', 'posts', 'articles'].map((name) => `/api/${name}?populate=*`);
    let answer = { status: 404, body: {} as { data: Entries } };
    for (const path of paths) if (answer.status === 404) answer = await serving.call('GET', path);
    const [entry] = answer.body.data;
    expect(entry?.attributes).to.include({ title: 'one' });
    const links = ['comments', 'author'].map(
      (name) => [(entry?.attributes[name] as { data: Entries | Entry }).data].flat().length,
    );
    expect(links).to.deep.equal([1, 1]);
    const [{ attributes: about }] = (await serving.call('GET', '/api/comments?populate=*')).body.data;
    expect(JSON.stringify(about).match(/"title":"one"/g)?.length).to.equal(2);
    const [{ attributes: writer }] = (await serving.call('GET', '/api/authors?populate=*')).body.data;
    expect(writer.works.data.length).to.equal(1);
  };
  const stateOf = (uid: string) => first.server.backend?.models.reports().find((report) => report.uid === uid)?.state;

  it('keeps what is stored until every instance has heard of the model', async () => {
    while (stateOf('api::scalar.scalar') !== 'moving') await first.server.backend?.models.load();
    for (const end = Date.now() + 1_000; Date.now() < end;) for (const one of services()) await checkType(one);
    await checkAttributes(first);
    expect(await database.db.collection('busies').countDocuments({ title: { $exists: true } })).to.equal(ids.length);
    release();
  });

  it('answers every value while they are moved, and after that', async () => {
    while (first.server.backend?.models.renames.moving().size !== 0) {
      for (const one of services()) await checkType(one);
      await checkAttributes(first);
      await checkAttributes(second);
    }
    await moved(first, second);
    for (const one of services()) await checkAttributes(one);
    for (const one of services()) await checkType(one);
    expect(stateOf('api::scalar.scalar')).to.equal('active');
  });

  it('fails no request under load, and loses no write', async () => {
    const written = database.db.collection<{ _id: number; headline: string }>('busies');
    await assertUnharmed(await load.stop(), async (id) => (await written.findOne({ _id: id }))?.headline);
    expect(await written.countDocuments({ title: { $exists: true } })).to.equal(0);
  });

  it('leaves nothing under the former names', async () => {
    const names = ['scalars', 'linkeds', 'nesteds', 'spokens', 'zoneds'];
    const rows = JSON.stringify(await Promise.all(names.map((name) => database.db.collection(name).find().toArray())));
    const left = rows.match(/"(title|tags|cover|code|box|old)":/g) ?? [];
    expect(left).to.deep.equal([]);
    expect(rows).to.include('"many/number"').and.not.include('many/code');
    expect((await first.call('GET', '/api/articles')).status).to.equal(404);
    const [row] = await database.db.collection('comments').find().toArray();
    expect(JSON.stringify(row)).to.include('api::post.post').and.not.include('api::article.article');
    const actions = await database.db.collection('up_permissions').distinct('action', { action: /api::(article|post)/ });
    expect(actions).to.deep.equal(['api::post.post.find']);
    expect(await database.db.collection('_models').countDocuments({ _id: article.uid as never })).to.equal(0);
    expect(await database.db.collection('_removed').countDocuments()).to.equal(0);
  });

  it('takes the former name in bodies and queries too, and refuses values that are taken', async () => {
    const written = await first.call('POST', '/api/scalars', { data: { title: 'three' } });
    expect(written.body.data.attributes.headline).to.equal('three');
    const taken = await first.call('POST', '/api/scalars', { data: { headline: 'three' } });
    expect(taken.status).to.equal(400);
    const inside = await first.call('POST', '/api/nesteds', { data: { many: [{ number: 'c3' }] } });
    expect(inside.status).to.equal(400);
    expect((await first.call('PUT', '/api/nesteds/1', { data: { one: { code: 'c9' } } })).status).to.equal(200);
    const [row] = await database.db.collection('nesteds').find().toArray();
    expect(row?.['one']).to.include({ number: 'c9' });
  });

  it('leaves its collection to a type that no longer names its former uid, and that uid to another type', async () => {
    const own = model('post', { title: string, comments, author: authored });
    await storeModels(database, [own, model('article', { title: string }, { collectionName: 'others' })]);
    await first.settled();
    const { body } = await first.call('GET', '/api/posts');
    expect(JSON.stringify(body.data)).to.include('"title":"one"');
    expect((await first.call('GET', '/api/articles')).body.data).to.deep.equal([]);
    const renamedAgain = { ...own, attributes: { name: { ...string, renamedFrom: 'title' }, comments, author: authored } };
    await storeModels(database, [renamedAgain]);
    for (let isMoving = false; !isMoving; isMoving = stateOf(post.uid) === 'moving') await first.server.backend?.models.load();
    await storeModels(database, [{ ...own, attributes: { name: string, comments, author: authored } }]); // a move that has begun is finished
    await first.server.backend?.models.renames.moved(post.uid, 20_000);
    await first.server.backend?.models.load();
    expect(JSON.stringify((await first.call('GET', '/api/posts')).body.data)).to.include('"name":"one"');
  });

  it('is answered over GraphQL under the new name', async () => {
    const query = '{ scalars(sort: "headline") { data { attributes { headline } } } posts { data { attributes { name } } } }';
    const { body } = await second.call('POST', '/graphql', { query });
    expect(body.errors).to.equal(undefined);
    expect(JSON.stringify(body.data)).to.include('"headline":"one"').and.include('"name":"one"');
  });
});

describe('a model with renamedFrom', () => {
  const refused: readonly (readonly [what: string, model: TestModel, problem: string])[] = [
    [
      'a name that is in use',
      model('wrong', { title: string, headline: { ...string, renamedFrom: 'title' } }),
      'attributes.headline.renamedFrom: title is an attribute of the model; a former name must be free',
    ],
    [
      'one name twice',
      model('wrong', { a: { ...string, renamedFrom: 'title' }, b: { ...string, renamedFrom: 'title' } }),
      'attributes.a.renamedFrom: title is the former name of two attributes',
    ],
    [
      'a part of the shard key',
      model('wrong', { a: { ...string, required: true, renamedFrom: 'title' } }, { shard: { a: 1 } }),
      'attributes.a.renamedFrom: title cannot be moved, because the attribute is part of the shard key',
    ],
  ];
  for (const [what, document, problem] of refused)
    it(`is refused with ${what}`, () => {
      expect(buildRegistry([document]).problems.get(document.uid)).to.include(problem);
    });
});

/** Lets an instance not hear of changed models until the returned function is called. */
function holdBack({ server }: Serving): () => void {
  const models = server.backend?.models;
  if (models === undefined) throw new Error('not connected');
  const load = models.loadModels.bind(models);
  models.loadModels = () => Promise.resolve();
  return () => {
    models.loadModels = load;
    void load(null);
  };
}
