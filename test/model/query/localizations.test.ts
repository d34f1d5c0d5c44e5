import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const localized = { i18n: { localized: true } };
const models: readonly TestModel[] = ['page', 'sheet'].map((name) => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  pluginOptions: localized,
  attributes: {
    title: { type: 'string', required: true, pluginOptions: localized },
    lead: { type: 'string', required: true, minLength: 3, pluginOptions: localized },
  },
}));

const at = new Date('2024-01-01T00:00:00.000Z');
const locales = ['en', 'fr', 'de', 'es'].map((code, index) => ({
  _id: index + 1,
  code,
  name: code,
  createdAt: at,
  updatedAt: at,
}));
const page = (_id: number, group: number, locale: string, title: string | null, publishedAt: Date | null = at): object => ({
  _id,
  _group: group,
  locale,
  title,
  lead: 'lead',
  publishedAt,
});

/** Group 1 has four locales, group 5 two of which one is a draft, and group 7 is alone. */
const pages = [
  page(1, 1, 'en', 'b'),
  page(2, 1, 'fr', 'd'),
  page(3, 1, 'de', 'a'),
  page(4, 1, 'es', null),
  page(5, 5, 'en', 'e'),
  page(6, 5, 'fr', 'c', null),
  page(7, 7, 'en', 'f'),
];

/** Most of them are alone. */
const sheets = [page(1, 1, 'en', 'a'), page(2, 1, 'fr', 'b'), ...[3, 4, 5].map((id) => page(id, id, 'en', String(id)))];

const all = 'locale=all&publicationState=preview';
const allArguments = 'locale: "all", publicationState: PREVIEW';

/** What is asked of all pages in REST and in GraphQL, and the ids of the answer. */
const lists: readonly (readonly [rest: string, graphql: string, ids: readonly number[]])[] = [
  ['filters[localizations][$null]=true', 'filters: { localizations: { id: { null: true } } }', [7]],
  ['filters[localizations][id][$null]=true', 'filters: { localizations: { id: { notNull: false } } }', [7]],
  ['filters[localizations][$null]=false', 'filters: { localizations: { id: { null: false } } }', [1, 2, 3, 4, 5, 6]],
  ['filters[localizations][$notNull]=true', 'filters: { localizations: { id: { notNull: true } } }', [1, 2, 3, 4, 5, 6]],
  ['filters[$not][localizations][$null]=true', 'filters: { not: { localizations: { id: { null: true } } } }', [1, 2, 3, 4, 5, 6]],
  ['filters[localizations][title][$null]=true', 'filters: { localizations: { title: { null: true } } }', [1, 2, 3, 7]],
  ['filters[localizations][locale]=fr', 'filters: { localizations: { locale: { eq: "fr" } } }', [1, 3, 4, 5]],
  ['sort=localizations.title,id', 'sort: ["localizations.title", "id"]', [1, 2, 3, 7, 4, 5, 6]],
  [
    'sort=localizations.title:desc,localizations.id',
    'sort: ["localizations.title:desc", "localizations.id"]',
    [6, 3, 4, 1, 5, 2, 7],
  ],
];

/** What is asked of the localizations of page 1, which are 4, 3, 2 unless sorted. */
const nested: readonly (readonly [rest: string, graphql: string, ids: readonly number[]])[] = [
  ['', '', [4, 3, 2]],
  ['[sort]=title', 'sort: "title"', [4, 3, 2]],
  ['[sort]=locale:desc', 'sort: "locale:desc"', [2, 4, 3]],
  ['[limit]=2', 'pagination: { limit: 2 }', [4, 3]],
  ['[start]=1', 'pagination: { start: 1 }', [3, 2]],
  ['[start]=1&populate[localizations][limit]=1', 'pagination: { start: 1, limit: 1 }', [3]],
  ['[sort]=title:desc&populate[localizations][limit]=1', 'sort: "title:desc", pagination: { limit: 1 }', [2]],
  [
    '[filters][title][$notNull]=true&populate[localizations][limit]=1',
    'filters: { title: { notNull: true } }, pagination: { limit: 1 }',
    [3],
  ],
];

interface Entry {
  readonly id: number | string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly attributes: any;
}

const idsOf = (entries: readonly Entry[]): number[] => entries.map(({ id }) => Number(id));

describe('localizations', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents: { i18n_locales: locales, pages, sheets } });
  });
  after(() => serving.stop());

  async function rest(path: string): Promise<Entry[]> {
    const { status, body } = await serving.call('GET', path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  }

  async function graphql(query: string): Promise<Entry[]> {
    const { body } = await serving.call('POST', '/graphql', { query });
    expect(body.errors, JSON.stringify(body)).to.equal(undefined);
    return body.data.pages.data;
  }

  for (const [query, args, ids] of lists)
    it(`pages: ${query}`, async () => {
      expect(idsOf(await rest(`/api/pages?${all}&${query}`)), 'REST').to.deep.equal(ids);
      expect(idsOf(await graphql(`{ pages(${allArguments}, ${args}) { data { id } } }`)), 'GraphQL').to.deep.equal(ids);
    });

  for (const [query, args, ids] of nested)
    it(`localizations of a page: ${query || 'all'}`, async () => {
      const [entry] = await rest(`/api/pages?filters[id]=1&populate[localizations]${query || '=true'}`);
      expect(idsOf(entry?.attributes.localizations.data), 'REST').to.deep.equal(ids);
      const field = `localizations${args && `(${args})`} { data { id } }`;
      const [row] = await graphql(`{ pages(filters: { id: { eq: 1 } }) { data { id attributes { ${field} } } } }`);
      expect(idsOf(row?.attributes.localizations.data), 'GraphQL').to.deep.equal(ids);
    });

  it('that are missing are found by the groups with several entries, if these are fewer', async () => {
    const [isNull, isThere] = await Promise.all(
      ['true', 'false'].map((flag) => rest(`/api/sheets?${all}&filters[localizations][$null]=${flag}&sort=id`)),
    );
    expect([isNull, isThere].map((entries) => idsOf(entries ?? []))).to.deep.equal([
      [3, 4, 5],
      [1, 2],
    ]);
  });

  it('are cut to the window for each entry of a list', async () => {
    const entries = await rest(`/api/pages?${all}&populate[localizations][limit]=1&sort=id`);
    expect(entries.map(({ attributes }) => idsOf(attributes.localizations.data))).to.deep.equal([
      [4],
      [4],
      [4],
      [1],
      [6],
      [5],
      [],
    ]);
    const counted = await rest('/api/pages?populate[localizations][count]=true&populate[localizations][limit]=2&sort=id');
    expect(counted.map(({ attributes }) => attributes.localizations.data.attributes.count as unknown)).to.deep.equal([2, 0, 0]);
  });

  it('created as drafts may lack required values', async () => {
    const { status, body } = await serving.call('POST', '/api/pages/7/localizations', {
      locale: 'fr',
      lead: 'x',
      publishedAt: null,
    });
    expect([status, body.publishedAt, body.title], JSON.stringify(body)).to.deep.equal([200, null, null]);
    const create = (data: string): string =>
      `mutation { createPageLocalization(id: 7, locale: "de", data: ${data}) { data { attributes { locale publishedAt } } } }`;
    const drafted = await serving.call('POST', '/graphql', { query: create('{ publishedAt: null }') });
    expect(drafted.body.data.createPageLocalization.data.attributes).to.deep.equal({ locale: 'de', publishedAt: null });
  });

  it('created without a publication state are checked as published entries', async () => {
    const { status, body } = await serving.call('POST', '/api/pages/7/localizations', { locale: 'es', lead: 'x' });
    expect([status, body.error.message]).to.deep.equal([400, '2 errors occurred']);
  });
});
