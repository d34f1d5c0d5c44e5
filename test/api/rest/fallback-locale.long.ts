import { expect } from 'chai';
import fc from 'fast-check';
import { findMany } from '#content/find-many.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { Database } from '#store/send/database.js';
import { inTransaction } from '#store/send/transaction.js';
import { adminToken, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { defaultLimits } from '../../support/default-limits.js';
import { commandsDuring, explain } from '../../support/explain.js';
import { roundsOf } from '../../support/rounds.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { contextOf } from '../../support/things.js';
import { groupOf, isShownTo, type Page, randomPages, shownPages } from './fallback-pages.js';

const at = new Date(0);
const codes = ['en', 'fr', 'de'];
const i18n = { pluginOptions: { i18n: { localized: true } } };
const models = [
  collectionType(
    'page',
    {
      title: { type: 'string' },
      rating: { type: 'integer', index: true },
      kind: { type: 'string' },
      open: { type: 'boolean' },
      slug: { type: 'uid' },
    },
    { ...i18n, options: { draftAndPublish: true } },
  ),
  collectionType('note', { title: { type: 'string' } }),
  { ...collectionType('home', { title: { type: 'string' } }, i18n), kind: 'singleType' },
];
const pages = randomPages(150);
const documents = {
  pages,
  homes: [{ _id: 1, _group: 1, locale: 'en', title: 'Home', createdAt: at, updatedAt: at }],
  notes: [{ _id: 1, title: 'note' }],
  i18n_locales: codes.map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at })),
};
const actions = ['page', 'note', 'home'].flatMap((name) =>
  ['find', 'findOne', 'aggregate', 'update'].map((action) => `api::${name}.${name}.${action}`),
);

describe('fallback locales', () => {
  let server: ServingAccounts;
  let token: string;
  before(async () => {
    server = await serveAccounts({ models, documents, config: { plugins: { graphql: { config: { connections: true } } } } });
    await server.admin('PUT', '/roles/2', { actions: actions.filter((one) => !/home.(findOne|aggregate)/.test(one)) });
    await server.admin('PUT', '/roles/2/rules', { rows: { 'api::page.page': { open: { $eq: true } } } });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
  });
  after(() => server.stop());

  const get = (path: string, isPublic = false) => server.as(isPublic ? null : token, 'GET', path);
  const ok = async (path: string, isPublic = false) => {
    const { status, body } = await get(path, isPublic);
    expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
    return body;
  };
  const idsOf = ({ data }: { data: readonly { id: number }[] }): number[] => data.map(({ id }) => id);

  interface Question {
    readonly chain: readonly string[];
    readonly state: 'live' | 'preview';
    readonly least: number | null;
    readonly isPublic: boolean;
    readonly sort: 'id' | 'rating' | 'title';
    readonly page: number;
  }
  const question: fc.Arbitrary<Question> = fc.record({
    chain: fc.shuffledSubarray(codes, { minLength: 1 }),
    state: fc.constantFrom('live', 'preview'),
    least: fc.option(fc.integer({ min: 0, max: 9 })),
    isPublic: fc.boolean(),
    sort: fc.constantFrom('id', 'rating', 'title'),
    page: fc.integer({ min: 1, max: 6 }),
  });
  const expectedOf = ({ chain, state, least, isPublic }: Question): readonly Page[] =>
    shownPages(pages, chain, (one) => isShownTo(one, { state, isPublic })).filter(({ rating }) => rating >= (least ?? -1));
  const queryOf = ({ chain: [locale = '', ...others], state, least }: Question): string =>
    `locale=${locale}&fallbackLocale=${[...others, locale].join()}&publicationState=${state}` +
    (least === null ? '' : `&filters[rating][$gte]=${String(least)}`);
  const sorted = (list: readonly Page[], key: Question['sort']): readonly Page[] =>
    [...list].sort((a, b) => {
      const [left, right] = key === 'id' ? [a._id, b._id] : [a[key], b[key]];
      return left < right ? -1 : left > right ? 1 : a._id - b._id;
    });
  const random = (check: (asked: Question) => Promise<void>, all: number): Promise<void> =>
    fc.assert(fc.asyncProperty(question, check), { numRuns: roundsOf(Math.ceil(all / 3), all) });

  it('lists have one entry of each group, with exact totals, filters, sorts and pages', () =>
    random(async (asked) => {
      const expected = sorted(expectedOf(asked), asked.sort);
      const paging = `&sort=${asked.sort}&pagination[page]=${String(asked.page)}&pagination[pageSize]=20`;
      const body = await ok(`/api/pages?${queryOf(asked)}${paging}`, asked.isPublic);
      expect(idsOf(body)).to.deep.equal(expected.slice(20 * (asked.page - 1), 20 * asked.page).map(({ _id }) => _id));
      expect(body.meta.pagination.total).to.equal(expected.length);
    }, 120));

  it('counts, groups and facets have the same entries', () =>
    random(async (asked) => {
      const expected = expectedOf(asked);
      const kinds = new Map<string, number>();
      for (const { kind } of expected) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const counts = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
      const { data } = await ok(`/api/pages/count?${queryOf(asked)}`, asked.isPublic);
      expect(data.count).to.equal(expected.length);
      const groups = await ok(`/api/pages/aggregate?groupBy=kind&sort=kind&${queryOf(asked)}`, asked.isPublic);
      expect(groups.data.map((one: { group: { kind: string }; count: number }) => [one.group.kind, one.count])).to.deep.equal(
        counts,
      );
      const { meta } = await ok(`/api/pages?facets=kind&${queryOf(asked)}`, asked.isPublic);
      const facets = meta.facets.kind.map((one: { value: string; count: number }) => [one.value, one.count]);
      expect(facets.sort()).to.deep.equal(counts);
    }, 30));

  it('cursors lead through the whole list, in both directions', () =>
    random(async (asked) => {
      const expected = sorted(expectedOf(asked), asked.sort).map(({ _id }) => _id);
      const path = `/api/pages?${queryOf(asked)}&sort=${asked.sort}&pagination[limit]=13`;
      const found: number[] = [];
      let [next, isLast]: [string, boolean] = ['pagination[cursors]=true', false];
      while (!isLast) {
        const body = await ok(`${path}&${next}`, asked.isPublic);
        found.push(...idsOf(body));
        expect(body.meta.pagination.hasPrevious).to.equal(found.length > body.data.length);
        next = `pagination[after]=${encodeURIComponent(String(body.meta.pagination.cursors.end))}`;
        isLast = body.meta.pagination.hasNext === false;
      }
      expect(found).to.deep.equal(expected);
    }, 15));

  it('one entry is asked for by the id of any of its localizations', () =>
    fc.assert(
      fc.asyncProperty(question, fc.constantFrom(...pages), async (asked, page) => {
        const { body } = await get(`/api/pages/${String(page._id)}?${queryOf({ ...asked, least: null })}`, asked.isPublic);
        const shown = expectedOf({ ...asked, least: null }).find((one) => groupOf(one) === groupOf(page));
        const isSeen = !asked.isPublic || page.open;
        expect(body.data?.id ?? null).to.equal(isSeen ? (shown?._id ?? null) : null);
        const bySlug = await get(`/api/pages/by/slug/${page.slug}?${queryOf({ ...asked, least: null })}`, asked.isPublic);
        expect(bySlug.body.data?.id ?? null).to.equal(shown?._id === page._id ? page._id : null);
      }),
      { numRuns: roundsOf(50, 150) },
    ));

  it('a cursor of a list without fallback locales is not one of a list with them', async () => {
    const { meta } = await ok('/api/pages?locale=fr&pagination[cursors]=true');
    const cursor = encodeURIComponent(meta.pagination.cursors.end);
    expect((await get(`/api/pages?locale=fr&pagination[after]=${cursor}`)).status).to.equal(200);
    expect((await get(`/api/pages?locale=fr&fallbackLocale=en&pagination[after]=${cursor}`)).status).to.equal(400);
  });

  it('GraphQL has them in lists, connections, of one entry and of single types', async () => {
    const run = async (query: string) => (await server.as(token, 'POST', '/graphql', { query })).body;
    const asked: Question = { chain: ['fr', 'en'], state: 'live', least: null, isPublic: false, sort: 'id', page: 1 };
    const expected = sorted(expectedOf(asked), 'id');
    const args = 'locale: "fr", fallbackLocale: ["en"]';
    const { data } = await run(`{
      pages(${args}, sort: "id", pagination: { limit: 7 }) { data { id } meta { pagination { total } } }
      pages_connection(${args}, sort: "id", first: 7) { nodes { id } }
      home(${args}) { data { attributes { title } } }
      page(${args}, id: "${String(expected[0]?._id)}") { data { id } }
    }`);
    const first = expected.slice(0, 7).map(({ _id }) => ({ id: String(_id) }));
    expect(data.pages.data).to.deep.equal(first);
    expect(data.pages.meta.pagination.total).to.equal(expected.length);
    expect(data.pages_connection.nodes).to.deep.equal(first);
    expect(data.home.data.attributes.title).to.equal('Home');
    expect(data.page.data).to.deep.equal(first[0]);
    const wrong = await run('{ pages(locale: "fr", fallbackLocale: ["xx"]) { data { id } } }');
    expect(wrong.errors[0].message).to.include('Unknown locale supplied');
  });

  it('a single type is shown in the first locale that it has', async () => {
    expect((await ok('/api/home?locale=fr&fallbackLocale=de,en')).data.attributes.title).to.equal('Home');
    expect((await get('/api/home?locale=fr&fallbackLocale=de')).status).to.equal(404);
  });

  const refused: readonly (readonly [string, string])[] = [
    ['/api/notes?fallbackLocale=en', 'fallbackLocale: this request does not support it'],
    ['/api/notes/1?fallbackLocale=en', 'fallbackLocale: this request does not support it'],
    ['/api/notes/aggregate?fallbackLocale=en', 'fallbackLocale: api::note.note is not localized'],
    ['/api/pages?locale=all&fallbackLocale=en', 'locale: expected one locale beside fallbackLocale'],
    ['/api/pages/1?locale=all&fallbackLocale=en', 'locale: expected one locale beside fallbackLocale'],
    ['/api/pages/1?fallbackLocale=en&publicationState=all', "publicationState: expected 'live' or 'preview'"],
    ['/api/home?locale=all&fallbackLocale=en', 'locale: expected one locale beside fallbackLocale'],
    ['/api/pages?locale=xx&fallbackLocale=en', 'locale: there is no such locale'],
    ['/api/pages?locale=fr&fallbackLocale=en,xx', 'fallbackLocale: there is no such locale'],
    ['/api/pages/count?fallbackLocale=xx', 'fallbackLocale: there is no such locale'],
    ['/api/pages?fallbackLocale=', 'fallbackLocale: expected codes of locales'],
    ['/api/pages?fallbackLocale=en,,fr', 'fallbackLocale: expected codes of locales'],
    ['/api/pages?fallbackLocale[a]=en', 'fallbackLocale: expected codes of locales'],
    ['/api/users?fallbackLocale=en', 'fallbackLocale: this request does not support it'],
    ['/api/upload/files?fallbackLocale=en', 'fallbackLocale: this request does not support it'],
  ];
  for (const [path, message] of refused)
    it(`${path} is refused`, async () => {
      const { status, body } = await get(path);
      expect([status, body.error?.message]).to.deep.equal([400, `Invalid parameter ${message}`]);
    });

  it('writes refuse them', async () => {
    for (const method of ['PUT', 'DELETE'])
      expect((await server.as(token, method, '/api/pages/1?fallbackLocale=en', { data: {} })).status).to.equal(400);
  });

  it('explain=true shows the join', async () => {
    const path = '/api/pages?locale=fr&fallbackLocale=en&sort=rating&explain=true';
    const { body } = await server.as(adminToken, 'GET', path);
    expect(JSON.stringify(body)).to.include('list joined').and.include('$lookup');
  });

  it('a page takes one command, its total another one until it is kept', async () => {
    const path = '/api/pages?locale=fr&fallbackLocale=en&sort=rating:desc&pagination[pageSize]=10';
    await server.settled();
    await ok(path);
    const { commands } = await server.countCommands(() => ok(path));
    expect(commands).to.deep.equal(['aggregate', 'find']); // the latter for meta.availableLocales
  });
});

describe('fallback locales of many entries', () => {
  let server: Serving;
  const many = Array.from({ length: 20_000 }, (_, n) => ({
    ...{ _id: n + 1, _group: Math.floor(n / 2), locale: n % 2 === 0 ? 'en' : 'fr', rating: (n * 7919) % 9973 },
    ...{ kind: `k${String(n % 9)}`, publishedAt: n % 3 === 0 ? null : at, createdAt: at, updatedAt: at },
  }));
  before(async () => {
    server = await serveModels({ models, documents: { ...documents, pages: many } });
  });
  after(() => server.stop());

  it('a list in a transaction has the same entries, by the same join', async () => {
    const { backend } = server.server;
    const type = backend?.models.snapshot.registry.types.get('api::page.page');
    if (!backend || type === undefined) throw new Error('there are no pages');
    const context = { ...contextOf(server.database, backend.models.snapshot.registry), store: backend.store };
    const bind = { ...context.bind, locales: codes };
    const query = parseQuery(
      { locale: 'fr', fallbackLocale: 'en', sort: 'rating', filters: { rating: { $gt: 5 } }, fields: 'rating' },
      defaultLimits,
    );
    const read = async (database: Database) => {
      const { entries, total } = await findMany(type, query, { ...context, bind, store: { ...backend.store, database } });
      return { ids: entries.map(({ document }) => document['_id'] as unknown), total };
    };
    const expected = await read(backend.store.database);
    const { result, commands } = await commandsDuring(backend.store.database.client, ['find', 'aggregate'], () =>
      inTransaction(backend.store.database, read),
    );
    expect(result).to.deep.equal(expected);
    expect(commands.filter(({ aggregate }) => aggregate === 'pages')).to.have.length(2); // the page and its total
  });

  const examinedBy = async (path: string): Promise<readonly number[]> => {
    const client = server.server.backend?.store.database.client;
    const { result, commands } = await commandsDuring(client, ['aggregate'], () => server.call('GET', path));
    expect(result.status).to.equal(200);
    const works = await Promise.all(commands.map((command) => explain(server.database.db, command)));
    return works.map(({ documentsExamined }) => documentsExamined);
  };

  it('a page in the order of an index examines about as many as it has', async () => {
    const [page = Infinity] = await examinedBy(
      '/api/pages?locale=fr&fallbackLocale=en&sort=rating:desc&pagination[pageSize]=10&pagination[withCount]=false',
    );
    expect(page).to.be.below(300); // the server reads about a hundred ahead
  });

  it('a filter by an index examines the entries that meet it', async () => {
    const works = await examinedBy('/api/pages?locale=fr&fallbackLocale=en&filters[rating]=77');
    expect(works.reduce((sum, one) => sum + one, 0)).to.be.below(100);
  });
});
