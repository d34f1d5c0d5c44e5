import { expect } from 'chai';
import { documents, models } from './content.js';
import { serveGraphql, type ServedGraphql } from './serve-graphql.js';

const apiError = (name: string, message: string, code: string, details: object = {}) => ({
  message,
  extensions: { error: { name, message, details }, code },
});

const fieldError = (path: readonly string[], message: string) =>
  apiError('ValidationError', message, 'BAD_USER_INPUT', { errors: [{ path, message, name: 'ValidationError' }] });

const nullName = 'siteName must be a `string` type, but the final value was: `null`.';

interface Case {
  readonly title?: string;
  readonly query: string;
  readonly variables?: object;
  readonly data: unknown;
  readonly errors?: readonly object[];
}

const cases: readonly Case[] = [
  {
    title: 'create makes a draft',
    query: 'mutation { createArticle(data: { title: "New" }) { data { attributes { title publishedAt } } } }',
    data: { createArticle: { data: { attributes: { title: 'New', publishedAt: null } } } },
  },
  {
    title: 'create with everything',
    query: `mutation ($d: ArticleInput!) { createArticle(data: $d) { data { attributes {
      status big happensAt publishedOn startsAt meta publishedAt author { data { attributes { name } } }
      categories { data { id } } seo { metaTitle } sections { heading links { label } } blocks { __typename ... on ComponentBlocksQuote { text } } } } } }`,
    variables: {
      d: {
        title: 'Whole',
        status: 'done',
        big: '9007199254740993',
        happensAt: '2024-05-06T07:08:09+02:00',
        publishedOn: '2024-05-06',
        startsAt: '07:08:09',
        meta: { any: ['thing'] },
        publishedAt: '2024-01-01T00:00:00.000Z',
        createdAt: '2000-01-01T00:00:00.000Z',
        author: 1,
        categories: ['3', '1'],
        seo: { metaTitle: 'M' },
        sections: [{ heading: 'H', links: [{ label: 'L', url: '/l' }] }],
        blocks: [
          { __typename: 'ComponentBlocksQuote', text: 'Q' },
          { __typename: 'ComponentBlocksRichText', body: 'B' },
        ],
      },
    },
    data: {
      createArticle: {
        data: {
          attributes: {
            status: 'done',
            big: '9007199254740993',
            happensAt: '2024-05-06T05:08:09.000Z',
            publishedOn: '2024-05-06',
            startsAt: '07:08:09.000',
            meta: { any: ['thing'] },
            publishedAt: '2024-01-01T00:00:00.000Z',
            author: { data: { attributes: { name: 'Ada' } } },
            categories: { data: [{ id: '3' }, { id: '1' }] },
            seo: { metaTitle: 'M' },
            sections: [{ heading: 'H', links: [{ label: 'L' }] }],
            blocks: [{ __typename: 'ComponentBlocksQuote', text: 'Q' }, { __typename: 'ComponentBlocksRichText' }],
          },
        },
      },
    },
  },
  {
    title: 'literals reach components and zones too',
    query: `mutation { createArticle(data: { title: "L", sections: [{ heading: "H" }], blocks: [{ __typename: "ComponentBlocksQuote", text: "Q" }] })
      { data { attributes { sections { heading } blocks { ... on ComponentBlocksQuote { text } } } } } }`,
    data: { createArticle: { data: { attributes: { sections: [{ heading: 'H' }], blocks: [{ text: 'Q' }] } } } },
  },
  {
    query: 'mutation { createArticle(data: { views: 1 }) { data { id } } }',
    data: { createArticle: null },
    errors: [fieldError(['title'], 'title must be defined.')],
  },
  {
    query: 'mutation { updateArticle(id: 2, data: { views: 99 }) { data { id attributes { title views } } } }',
    data: { updateArticle: { data: { id: '2', attributes: { title: 'Article 2', views: 99 } } } },
  },
  {
    query:
      'mutation { updateArticle(id: 3, data: { views: null, author: null, categories: [] }) { data { attributes { views author { data { id } } categories { data { id } } } } } }',
    data: { updateArticle: { data: { attributes: { views: null, author: { data: null }, categories: { data: [] } } } } },
  },
  {
    query: 'mutation { updateArticle(id: 999, data: { views: 1 }) { data { id } } }',
    data: { updateArticle: { data: null } },
  },
  {
    query: 'mutation { updateArticle(id: 4, data: {}) { data { id } } }',
    data: { updateArticle: { data: { id: '4' } } },
  },
  {
    query: 'mutation { deleteArticle(id: 5) { data { id attributes { author { data { attributes { name } } } } } } }',
    data: { deleteArticle: { data: { id: '5', attributes: { author: { data: { attributes: { name: 'Ada' } } } } } } },
  },
  { query: 'mutation { deleteArticle(id: 5) { data { id } } }', data: { deleteArticle: { data: null } } },
  {
    title: 'mutations of one document run in order',
    query: 'mutation { a: createTag(data: { label: "x" }) { data { id } } b: createTag(data: { label: "y" }) { data { id } } }',
    data: { a: { data: { id: '3' } }, b: { data: { id: '4' } } },
  },
  {
    query:
      'mutation { updateHomepage(data: { headline: "Changed" }) { data { id attributes { headline featured { data { id } } } } } }',
    data: {
      updateHomepage: { data: { id: '1', attributes: { headline: 'Changed', featured: { data: [{ id: '3' }, { id: '1' }] } } } },
    },
  },
  {
    query: 'mutation { updateSetting(data: { siteName: "First" }) { data { id attributes { siteName } } } }',
    data: { updateSetting: { data: { id: '1', attributes: { siteName: 'First' } } } },
  },
  {
    query: 'mutation { updateSetting(data: { siteName: null }) { data { id } } }',
    data: { updateSetting: { data: null } },
    errors: [fieldError(['siteName'], nullName)],
  },
  {
    query: 'mutation { updateSetting(data: { siteName: null }) { __typename again: data { id } data { id } } }',
    data: { updateSetting: { __typename: 'SettingEntityResponse', again: null, data: null } },
    errors: [fieldError(['siteName'], nullName), fieldError(['siteName'], nullName)],
  },
  {
    title: 'refused data fails the whole field if nothing below it can say so',
    query: 'mutation { updateSetting(data: { siteName: null }) { __typename } }',
    data: { updateSetting: null },
    errors: [fieldError(['siteName'], nullName)],
  },
  {
    query: 'mutation { deleteSetting { data { attributes { siteName } } } }',
    data: { deleteSetting: { data: { attributes: { siteName: 'First' } } } },
  },
  {
    title: 'deleting a single type that has no entry',
    query: 'mutation { deleteSetting { data { id } } }',
    data: { deleteSetting: null },
    errors: [apiError('NotFoundError', 'Entity not found', 'STRAPI_NOT_FOUND_ERROR')],
  },
  {
    title: 'a single type in a new locale',
    query:
      'mutation { updateBanner(data: { text: "Hallo" }, locale: "de") { data { attributes { text locale localizations { data { id } } } } } }',
    data: {
      updateBanner: {
        data: { attributes: { text: 'Hallo', locale: 'de', localizations: { data: [{ id: '1' }, { id: '2' }] } } },
      },
    },
  },
  {
    query: 'mutation { createPage(data: { title: "N" }, locale: "fr") { data { attributes { title locale } } } }',
    data: { createPage: { data: { attributes: { title: 'N', locale: 'fr' } } } },
  },
  {
    query: 'mutation { updatePage(id: 1, locale: "fr", data: { title: "Z" }) { data { id attributes { title locale } } } }',
    data: { updatePage: { data: { id: '1', attributes: { title: 'Z', locale: 'en' } } } },
  },
  {
    query:
      'mutation { createPageLocalization(id: 4, locale: "fr", data: { title: "F" }) { data { attributes { title locale localizations { data { id } } } } } }',
    data: {
      createPageLocalization: { data: { attributes: { title: 'F', locale: 'fr', localizations: { data: [{ id: '4' }] } } } },
    },
  },
  ...[
    ['id: 4, data: { title: "x" }', 'locale is missing', 'ApplicationError', 'STRAPI_APPLICATION_ERROR'],
    ['id: 4, locale: "sw", data: { title: "x" }', 'locale is invalid', 'ApplicationError', 'STRAPI_APPLICATION_ERROR'],
    ['id: 1, locale: "fr", data: { title: "x" }', 'locale is already used', 'ApplicationError', 'STRAPI_APPLICATION_ERROR'],
    ['id: 999, locale: "fr", data: { title: "x" }', 'Entity not found', 'NotFoundError', 'STRAPI_NOT_FOUND_ERROR'],
  ].map(([args = '', message = '', name = '', code = '']) => ({
    query: `mutation { createPageLocalization(${args}) { data { id } } }`,
    data: { createPageLocalization: null },
    errors: [apiError(name, message, code)],
  })),
];

describe('GraphQL mutations', () => {
  let server: ServedGraphql;

  before(async () => {
    server = await serveGraphql({ models, documents });
  });
  after(() => server.stop());

  for (const { title, query, variables, data, errors } of cases)
    it(title ?? query, async () => {
      const { body, status } = await server.query(query, variables);
      expect(server.reported).to.deep.equal([]);
      expect(body).to.deep.equal(errors === undefined ? { data } : { errors, data });
      expect(status).to.equal(200);
    });
});
