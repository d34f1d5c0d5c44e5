import { expect } from 'chai';
import { buildRegistry } from '../../src/schema/build-registry.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels, storeModels, type Serving, type TestModel } from '../support/serve.js';
import { assertUnharmed, startLoad } from './rename-load.js';

type Attributes = Readonly<Record<string, object>>;

const model = (name: string, attributes: Attributes, rest: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
  ...rest,
});

const component = (name: string, attributes: Attributes): TestModel => ({
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

describe('attributes with renamedFrom', function () {
  this.timeout(20_000);
  let database: FreshDatabase;
  let serving: Serving;
  const check = async (): Promise<void> => {
    for (const [path, expected, pick] of reads) {
      const { status, body } = await serving.call('GET', `/api${path.replace('populate=deep', populated)}`);
      expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
      expect(pick(body.data as never), `${path} ${JSON.stringify(body)}`).to.deep.equal(expected);
    }
  };
  before(async () => {
    database = await freshDatabase();
    serving = await serveModels({ models: former, database });
    for (const [plural, data] of entries) {
      const { status, body } = await serving.call('POST', `/api/${plural}`, { data });
      expect(status, `${plural} ${JSON.stringify(body)}`).to.equal(200);
    }
    await check();
    await storeModels(database, renamed);
  });
  after(async () => {
    await serving.stop();
    await database.drop();
  });

  it('answer the same while the values are moved, and after that', async () => {
    for (let isMoving = false; !isMoving; isMoving = serving.server.backend?.models.renames.moving().size !== 0)
      await serving.server.backend?.models.load();
    const { models } = serving.server.backend ?? {};
    expect(models?.reports().find(({ uid }) => uid === 'api::scalar.scalar')?.state).to.equal('moving');
    while (models?.renames.moving().size !== 0) await check();
    await check();
    expect(models.reports().find(({ uid }) => uid === 'api::scalar.scalar')?.state).to.equal('active');
  });

  it('leave nothing under the former names', async () => {
    await moved(serving);
    const rows = await Promise.all(
      ['scalars', 'linkeds', 'nesteds', 'spokens', 'zoneds'].map((name) => database.db.collection(name).find().toArray()),
    );
    const names = JSON.stringify(rows).match(/"(title|tags|cover|code|box|zone|old)":/g) ?? [];
    expect(names.filter((name) => name !== '"zone":')).to.deep.equal([]);
    expect(JSON.stringify(rows)).to.include('"many/number"').and.not.include('many/code');
  });

  it('take the former name in bodies too, and refuse values that are taken', async () => {
    await moved(serving);
    const written = await serving.call('POST', '/api/scalars', { data: { title: 'three' } });
    expect(written.body.data.attributes.headline).to.equal('three');
    const taken = await serving.call('POST', '/api/scalars', { data: { headline: 'three' } });
    expect(taken.status).to.equal(400);
    const inside = await serving.call('POST', '/api/nesteds', { data: { many: [{ number: 'c3' }] } });
    expect(inside.status).to.equal(400);
    expect((await serving.call('PUT', '/api/nesteds/1', { data: { one: { code: 'c9' } } })).status).to.equal(200);
    const [row] = await database.db.collection('nesteds').find().toArray();
    expect(row?.['one']).to.include({ number: 'c9' });
  });
});

describe('a type with renamedFrom', function () {
  this.timeout(60_000);

  const comments = { type: 'relation', relation: 'morphMany', target: 'api::comment.comment', morphBy: 'about' };
  const authored = { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'works' };
  const author = (target: string) =>
    model('author', { name: string, works: { type: 'relation', relation: 'oneToMany', target, mappedBy: 'author' } });
  const comment = model('comment', {
    about: { type: 'relation', relation: 'morphToMany' },
    on: { type: 'relation', relation: 'morphToOne' },
  });
  const types = [model('article', { title: string, comments, author: authored }), author('api::article.article'), comment];
  const post = model('post', { title: string, comments, author: authored }, { renamedFrom: 'api::article.article' });

  it('takes over the entries, the links to them and the rights, while one of both names is answered', async () => {
    const database = await freshDatabase();
    const first = await serveModels({ models: types, database });
    const second = await serveModels({ models: [], database });
    try {
      await first.call('POST', '/api/authors', { data: { name: 'a' } });
      await first.call('POST', '/api/articles', { data: { title: 'one', author: 1 } });
      const link = { __type: 'api::article.article', id: 1 };
      await first.call('POST', '/api/comments', { data: { about: [link], on: link } });
      await database.db
        .collection('up_permissions')
        .insertOne({ _id: 999 as never, action: 'api::article.article.find', role: 2 });
      await storeModels(database, [post, author('api::post.post')]);
      const read = async (serving: Serving): Promise<void> => {
        const [old, now] = [
          await serving.call('GET', '/api/articles?populate=*'),
          await serving.call('GET', '/api/posts?populate=*'),
        ];
        const again = old.status === 404 && now.status === 404 ? await serving.call('GET', '/api/posts?populate=*') : now;
        const [entry] = (again.status === 200 ? again : old).body.data as Entries;
        expect(entry?.attributes).to.include({ title: 'one' });
        const links = ['comments', 'author'].map(
          (name) => [(entry?.attributes[name] as { data: Entries | Entry }).data].flat().length,
        );
        expect(links).to.deep.equal([1, 1]);
        const [{ attributes: about }] = (await serving.call('GET', '/api/comments?populate=*')).body.data;
        expect(JSON.stringify(about)).to.include('"title":"one"');
        expect(about.on?.data?.id ?? about.on?.id, JSON.stringify(about)).to.equal(1);
        const [{ attributes: writer }] = (await serving.call('GET', '/api/authors?populate=*')).body.data;
        expect(writer.works.data.length).to.equal(1);
      };
      for (const serving of [first, second]) await serving.server.backend?.models.load();
      while (first.server.backend?.models.renames.moving().size !== 0) for (const serving of [first, second]) await read(serving);
      for (const serving of [first, second]) await read(serving);
      expect((await first.call('GET', '/api/articles')).status).to.equal(404);
      const [row] = await database.db.collection('comments').find().toArray();
      expect(JSON.stringify(row)).to.include('api::post.post').and.not.include('api::article.article');
      const actions = await database.db.collection('up_permissions').distinct('action', { action: /api::(article|post)/ });
      expect(actions).to.deep.equal(['api::post.post.find']);
      expect(await database.db.collection('_models').countDocuments({ _id: 'api::article.article' as never })).to.equal(0);
    } finally {
      await second.stop();
      await first.stop();
      await database.drop();
    }
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

describe('a rename under load', function () {
  this.timeout(120_000);

  it('fails no request, answers every value and loses no write, also if one instance hears of the model later', async () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => index + 1);
    const documents = { articles: ids.map((_id) => ({ _id, title: `title ${String(_id)}` })) };
    const database = await freshDatabase();
    const first = await serveModels({ models: [model('article', { title: { ...string, unique: true } })], documents, database });
    const second = await serveModels({ models: [], database });
    const release = holdBack(second);
    try {
      const load = startLoad({
        services: [first, second],
        plural: 'articles',
        names: ['title', 'headline'],
        ids,
        perSecond: 200,
      });
      await storeModels(database, [model('article', { headline: { ...string, unique: true, renamedFrom: 'title' } })]);
      await new Promise((resolve) => setTimeout(resolve, 1_000)); // the load goes on while one instance has not heard
      const entries = database.db.collection<{ _id: number; headline: string }>('articles');
      expect(await entries.countDocuments({ title: { $exists: true } })).to.equal(ids.length);
      release();
      await moved(first, second);
      await assertUnharmed(await load.stop(), async (id) => (await entries.findOne({ _id: id }))?.headline);
      expect(await entries.countDocuments({ title: { $exists: true } })).to.equal(0);
    } finally {
      await second.stop();
      await first.stop();
      await database.drop();
    }
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
