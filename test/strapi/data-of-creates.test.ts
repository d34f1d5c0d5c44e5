import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const localized = { i18n: { localized: true } };
const shared = { i18n: { localized: false } };

const models: readonly TestModel[] = [
  {
    uid: 'api::article.article',
    kind: 'collectionType',
    info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
    attributes: {
      title: { type: 'string', required: true },
      kind: { type: 'enumeration', enum: ['news', 'essay'], default: 'news' },
      views: { type: 'integer', default: 0, min: 0 },
      active: { type: 'boolean', default: true },
      meta: { type: 'json', default: { tags: [] } },
      pin: { type: 'password' },
      links: { type: 'component', component: 'base.link', repeatable: true },
      zone: { type: 'dynamiczone', components: ['base.link'] },
    },
  },
  {
    uid: 'api::page.page',
    kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
    pluginOptions: localized,
    attributes: {
      title: { type: 'string', pluginOptions: localized },
      number: { type: 'integer', default: 3, pluginOptions: shared },
      at: { type: 'datetime', pluginOptions: shared },
      links: { type: 'component', component: 'base.link', repeatable: true, pluginOptions: shared },
    },
  },
  { uid: 'base.link', info: { displayName: 'Link' }, attributes: { label: { type: 'string' } } },
];

const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code }));

type Data = Record<string, unknown>;
type Create = (serving: ServedProject, data: Data) => Promise<unknown>;

const uid = 'api::article.article';

const mutation = 'mutation ($data: ArticleInput!) { createArticle(data: $data) { data { id } } }';

/** The ways in which entries are created with defaults. */
const creates: readonly (readonly [title: string, create: Create])[] = [
  ['REST', ({ call }, data) => call('POST', '/api/articles', { data })],
  ['GraphQL', ({ call }, data) => call('POST', '/graphql', { query: mutation, variables: { data } })],
  ['the entity service', ({ strapi }, data) => strapi.entityService.create(uid, { data })],
  ['a generated service', ({ strapi }, data) => strapi.service(uid).create({ data })],
];

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- code of projects changes what it is given
type SeenData = Record<string, any>;

/** What the code before a create does with the data, and what is then stored. */
const changes: readonly (readonly [title: string, change: (data: SeenData) => void, stored: Data])[] = [
  ['adds to a default', (data) => (data.views += 10), { views: 10 }],
  ['tests a default', (data) => data.active && (data.kind = 'essay'), { kind: 'essay', active: true }],
  ['counts components', (data) => (data.views = data.links.length + data.zone.length), { views: 0 }],
  ['adds a component', (data) => data.links.push({ label: 'a' }), { links: [{ label: 'a' }], zone: [] }],
  ['adds to a default object', (data) => data.meta.tags.push('x'), { meta: { tags: ['x'] } }],
  ['removes a default', (data) => delete data.views, { views: 0 }],
  ['clears a default', (data) => (data.views = null), { views: null }],
  ['changes another value', (data) => (data.title = 'other'), { title: 'other', views: 0, active: true, links: [], zone: [] }],
];

describe('the data that code before a create sees', () => {
  let serving: ServedProject;
  let end = (): void => undefined;
  const seen: Data[] = [];
  const subscribe = (model: string, change: (data: Data) => void = () => undefined): void => {
    seen.length = 0;
    end = serving.strapi.db.lifecycles.subscribe({
      models: [model],
      beforeCreate: ({ params }: { readonly params: { readonly data: Data } }) => {
        seen.push(structuredClone(params.data));
        change(params.data);
      },
    });
  };
  const last = async (model = uid): Promise<Data> => {
    const [entry] = await serving.strapi.db.query(model).findMany({ orderBy: { id: 'desc' }, limit: 1, populate: true });
    return withoutIds(entry) as Data; // an entry
  };
  before(async () => {
    serving = await serveProject({}, { models, documents: { i18n_locales: locales } });
  });
  afterEach(() => {
    end();
  });
  after(() => serving.stop());

  const defaults = { kind: 'news', views: 0, active: true, meta: { tags: [] }, links: [], zone: [] };

  for (const [title, create] of creates)
    it(`has defaults and empty lists: ${title}`, async () => {
      subscribe(uid);
      await create(serving, { title });
      expect(seen[0]).to.deep.include({ title, ...defaults });
    });

  for (const [title, create] of creates)
    for (const [what, change, stored] of changes)
      it(`is stored if it ${what}: ${title}`, async () => {
        subscribe(uid, change);
        const answer = await create(serving, { title });
        expect(await last(), JSON.stringify(answer)).to.deep.include({ title, ...stored });
      });

  it('has no defaults in queries of code, as in Strapi', async () => {
    subscribe(uid);
    await serving.strapi.db.query(uid).create({ data: { title: 'raw', views: '7' } });
    expect(Object.keys(seen[0] ?? {})).to.have.members(['title', 'views', 'createdAt', 'updatedAt']);
    expect(await last()).to.deep.include({ title: 'raw', ...defaults, views: 7 });
  });

  it('has numbers and booleans for the texts that stand for them', async () => {
    subscribe(uid, (data) => void (data['views'] = Number(data['views']) === data['views'] ? data['views'] + 1 : -1));
    await serving.call('POST', '/api/articles', { data: { title: 'cast', views: '7', active: 'false' } });
    expect(seen[0]).to.deep.include({ views: 7, active: false });
    expect(await last()).to.deep.include({ views: 8, active: false });
  });

  it('is checked before the code and after it', async () => {
    subscribe(uid, (data) => void (data['views'] = -1));
    const incomplete = await serving.call('POST', '/api/articles', { data: {} });
    expect([incomplete.status, seen.length, incomplete.body.error.message]).to.deep.equal([400, 0, 'title must be defined.']);
    const wrong = await serving.call('POST', '/api/articles', { data: { title: 'x' } });
    expect([wrong.status, seen.length, wrong.body.error.details.errors[0].path]).to.deep.equal([400, 1, ['views']]);
  });

  it('has the shared values of a new localization', async () => {
    const at = '2024-05-01T00:00:00.000Z';
    const data = { title: 'a', number: 1, at, links: [{ label: 'x' }] };
    const { body } = await serving.call('POST', '/api/pages', { data });
    subscribe('api::page.page', (values) => void (values['title'] = `${String(values['number'])} ${String(values['title'])}`));
    const localization = { locale: 'fr', title: 'b' };
    const { status } = await serving.call('POST', `/api/pages/${String(body.data.id)}/localizations`, localization);
    expect([status, seen[0]]).to.deep.include(200);
    expect(seen[0]).to.deep.include({ title: 'b', number: 1, at, links: [{ label: 'x' }] });
    expect(await last('api::page.page')).to.deep.include({ title: '1 b', number: 1, at, links: [{ label: 'x' }] });
  });

  it('changes the shared values of all locales', async () => {
    const { body } = await serving.call('POST', '/api/pages', { data: { title: 'a', number: 1, links: [{ label: 'x' }] } });
    const id = Number(body.data.id);
    subscribe('api::page.page', (values) => void (values['links'] as unknown[]).push({ label: 'y' }));
    await serving.call('POST', `/api/pages/${String(id)}/localizations`, { locale: 'fr', title: 'b' });
    const first = await serving.strapi.entityService.findOne('api::page.page', id, { populate: '*' });
    expect(first.links.map(({ label }: Data) => label)).to.deep.equal(['x', 'y']);
    expect(first.number).to.equal(1);
  });
});

/** Returns a value without the ids in it. */
type Write = (serving: ServedProject, data: Data, id: number) => Promise<unknown>;

/** Writes of code, with the lifecycles around them. */
const flagged: readonly (readonly [title: string, kind: 'Create' | 'Update', write: Write])[] = [
  ['the entity service', 'Create', ({ strapi }, data) => strapi.entityService.create(uid, { data })],
  ['the entity service', 'Update', ({ strapi }, data, id) => strapi.entityService.update(uid, id, { data })],
  ['a generated service', 'Create', ({ strapi }, data) => strapi.service(uid).create({ data })],
  ['queries', 'Create', ({ strapi }, data) => strapi.db.query(uid).create({ data })],
  ['queries', 'Update', ({ strapi }, data, id) => strapi.db.query(uid).update({ where: { id }, data })],
  [
    'a localized type',
    'Create',
    ({ strapi }, data) => strapi.entityService.create('api::page.page', { data: { ...data, locale: 'fr' } }),
  ],
];

describe('values of data that are no attributes', () => {
  let serving: ServedProject;
  let id: number;
  before(async () => {
    serving = await serveProject({}, { models, documents: { i18n_locales: locales } });
    id = (await serving.strapi.entityService.create(uid, { data: { title: 'first' } })).id;
  });
  after(() => serving.stop());

  for (const [title, kind, write] of flagged)
    it(`are seen by code around the write, and not stored: ${title}, ${kind}`, async () => {
      const seen: unknown[] = [];
      const see = ({ action, params }: { readonly action: string; readonly params: { readonly data: Data } }): void => {
        seen.push([action, params.data['_skipMail'], params.data['title']]);
        params.data['title'] = `${String(params.data['title'])}!`;
      };
      const end = serving.strapi.db.lifecycles.subscribe({ [`before${kind}`]: see, [`after${kind}`]: see });
      await write(serving, { title: 'a', _skipMail: true, nested: { token: 'x' } }, id);
      end();
      expect(seen).to.deep.equal([
        [`before${kind}`, true, 'a'],
        [`after${kind}`, true, 'a!'],
      ]);
      const collections = await Promise.all(
        ['articles', 'pages'].map((name) => serving.database.db.collection(name).find().toArray()),
      );
      for (const document of collections.flat()) expect(document).not.to.have.any.keys('_skipMail', 'nested');
    });
});

const early = '2020-01-01T00:00:00.000Z';

const rows: readonly Data[] = [
  { title: 'a', _skipMail: 1, views: 1, createdAt: early, links: [{ label: 'x' }] },
  { title: 'b', _skipMail: 2, kind: 'essay', meta: { a: [1] } },
];
const first = { title: 'a', views: 1, createdAt: early, links: [{ label: 'x' }] };
const second = { title: 'b', kind: 'essay', meta: { a: [1] }, views: 0 };

interface RowsEvent {
  readonly params: { data: SeenData[] };
}

/** What code before `createMany` sets, the title and the flag of each row that code after it sees, and what is stored. */
const rowChanges: readonly (readonly [
  title: string,
  change: (data: SeenData[], params: RowsEvent['params']) => void,
  seen: readonly string[],
  stored: readonly Data[],
])[] = [
  ['nothing', () => undefined, ['a 1', 'b 2'], [first, second]],
  [
    'a value of one row',
    ([, row]) => void Object.assign(row ?? {}, { title: 'c' }),
    ['a 1', 'c 2'],
    [first, { ...second, title: 'c' }],
  ],
  ['a flag of one row', ([row]) => void Object.assign(row ?? {}, { _skipMail: 3 }), ['a 3', 'b 2'], [first, second]],
  [
    'no value any more',
    ([row]) => void Reflect.deleteProperty(row ?? {}, 'views'),
    ['a 1', 'b 2'],
    [{ ...first, views: 0 }, second],
  ],
  ['one row more', (data) => void data.push({ title: 'c' }), ['a 1', 'b 2', 'c undefined'], [first, second, { title: 'c' }]],
  ['another list of rows', (data, params) => void (params.data = data.slice(1)), ['b 2'], [second]],
];

describe('the rows of createMany', () => {
  let serving: ServedProject;
  before(async () => (serving = await serveProject({}, { models, documents: { i18n_locales: locales } })));
  after(() => serving.stop());

  const namesOf = ({ params }: RowsEvent) => params.data.map(({ title, _skipMail }) => `${String(title)} ${String(_skipMail)}`);

  /** Creates the rows, and returns what is stored of them. */
  const write = async (listeners: Readonly<Record<string, (event: RowsEvent) => void>>) => {
    const end = serving.strapi.db.lifecycles.subscribe(listeners);
    const { ids } = await serving.strapi.db.query(uid).createMany({ data: rows });
    end();
    const documents = await serving.database.db.collection('articles').find().toArray();
    for (const document of documents) expect(document).not.to.have.any.keys('_skipMail');
    return withoutIds(
      await serving.strapi.db.query(uid).findMany({ where: { id: ids }, orderBy: 'id', populate: ['links'] }),
    ) as readonly Data[];
  };

  for (const [title, change, names, stored] of rowChanges)
    it(`are seen with values that are no attributes and stored without them, if code sets ${title}`, async () => {
      const seen: unknown[] = [];
      const entries = await write({
        beforeCreateMany: (event) => {
          seen.push(namesOf(event));
          change(event.params.data, event.params);
        },
        afterCreateMany: (event) => seen.push(namesOf(event)),
      });
      expect(seen).to.deep.equal([['a 1', 'b 2'], names]);
      expect(entries).to.have.lengthOf(stored.length);
      for (const [index, values] of stored.entries()) expect(entries[index]).to.deep.include(values);
    });

  it('are seen with these values also by code that runs only after it', async () => {
    const seen: unknown[] = [];
    await write({ afterCreateMany: (event) => seen.push(namesOf(event)) });
    expect(seen).to.deep.equal([['a 1', 'b 2']]);
    expect(rows[0]).to.have.keys('title', '_skipMail', 'views', 'createdAt', 'links');
  });
});

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const values = Object.entries(value).filter(([name]) => !['id', '__component'].includes(name));
  return Object.fromEntries(values.map(([name, inner]) => [name, withoutIds(inner)]));
}
