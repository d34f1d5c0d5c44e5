import { expect } from 'chai';
import { actionOf } from '#model/query/access.js';
import { documents, models } from './content.js';
import { serveGraphql, type ServedGraphql } from './serve-graphql.js';

interface Case {
  readonly title?: string;
  readonly query: string;
  readonly variables?: object;
  readonly data: unknown;
  /** Database commands. */
  readonly commands?: number;
}

const ids = (...list: readonly number[]) => ({ data: list.map((id) => ({ id: String(id) })) });

const cases: readonly Case[] = [
  {
    query:
      '{ article(id: 1) { data { id attributes { title big status happensAt publishedOn startsAt meta featured rating } } } }',
    data: {
      article: {
        data: {
          id: '1',
          attributes: {
            title: 'Article 1',
            big: '9007199254740993',
            status: 'done',
            happensAt: '2024-01-02T03:04:05.678Z',
            publishedOn: '2024-02-03',
            startsAt: '10:20:30.000',
            meta: { a: [1] },
            featured: true,
            rating: null,
          },
        },
      },
    },
    commands: 1,
  },
  { query: '{ article(id: 99) { data { id } } }', data: { article: { data: null } } },
  { query: '{ article(id: "abc") { data { id } } }', data: { article: { data: null } }, commands: 0 },
  { query: '{ article { data { id } } }', data: { article: { data: null } }, commands: 0 },
  {
    query: '{ article(id: 12) { data { attributes { publishedAt } } } }',
    data: { article: { data: { attributes: { publishedAt: null } } } },
  },
  { query: '{ articles(sort: "id") { data { id } } }', data: { articles: ids(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }, commands: 1 },
  {
    query:
      '{ articles(sort: "id:desc", pagination: { pageSize: 4, page: 3 }) { data { id } meta { pagination { total page pageSize pageCount } } } }',
    data: { articles: { ...ids(3, 2, 1), meta: { pagination: { total: 11, page: 3, pageSize: 4, pageCount: 3 } } } },
    commands: 2,
  },
  {
    title: 'a page alone has the default size',
    query: '{ articles(sort: "id", pagination: { page: 2 }) { data { id } meta { pagination { page pageSize } } } }',
    data: { articles: { ...ids(11), meta: { pagination: { page: 2, pageSize: 10 } } } },
    commands: 1,
  },
  {
    query:
      '{ articles(sort: "id", pagination: { limit: -1 }) { data { id } meta { pagination { total page pageSize pageCount } } } }',
    data: {
      articles: {
        ...ids(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
        meta: { pagination: { total: 11, page: 1, pageSize: 100, pageCount: 1 } },
      },
    },
  },
  {
    query:
      '{ articles(pagination: { start: 3, limit: 4 }, sort: "id") { data { id } meta { pagination { total page pageSize pageCount } } } }',
    data: { articles: { ...ids(4, 5, 6, 7), meta: { pagination: { total: 11, page: 1, pageSize: 4, pageCount: 3 } } } },
  },
  {
    query:
      '{ articles(pagination: { page: 2147483647, pageSize: 2147483647 }) { data { id } meta { pagination { page pageCount } } } }',
    data: { articles: { ...ids(), meta: { pagination: { page: 2147483647, pageCount: 1 } } } },
  },
  {
    query: '{ articles(pagination: null, sort: null, filters: null) { data { id } } }',
    data: { articles: ids(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) },
  },
  {
    query: '{ articles(publicationState: PREVIEW, filters: { publishedAt: { null: true } }) { data { id } } }',
    data: { articles: ids(12) },
  },
  {
    query: '{ articles(publicationState: null, filters: { id: { gt: 10 } }, sort: "id") { data { id } } }',
    data: { articles: ids(11, 12) },
  },
  ...[
    ['{ id: { eq: 3 } }', [3]],
    ['{ id: { in: [3, 4] } }', [3, 4]],
    ['{ id: { in: 3 } }', [3]],
    ['{ id: { or: [3, 4] } }', [3, 4]],
    ['{ views: { between: [20, 30] } }', [2, 3]],
    ['{ title: { endsWith: "e 5" } }', [5]],
    ['{ title: { containsi: "ARTICLE 11" } }', [11]],
    ['{ not: { id: { gt: 2 } } }', [1, 2]],
    ['{ title: { not: { contains: "Article" } } }', []],
    ['{ or: [{ id: { eq: 1 } }, { views: { eq: 20 } }] }', [1, 2]],
    ['{ and: [{ id: { gt: 1 } }, { id: { lt: 3 } }] }', [2]],
    ['{ id: { lt: 4 }, or: [] , and: [], not: null, author: {}, seo: null }', [1, 2, 3]],
    ['{ author: { name: { eq: "Ada" } }, id: { lt: 4 } }', [1, 3]],
    ['{ author: { articles: { id: { eq: 4 } } }, id: { lt: 5 } }', [2, 4]],
    ['{ author: { not: { name: { eq: "Ada" } } }, id: { lt: 5 } }', [2, 4]],
    ['{ categories: { name: { eq: "History" } } }', [3, 7, 11]],
    ['{ seo: { metaTitle: { eq: "Meta" } } }', [1]],
    ['{ sections: { links: { label: { eq: "two" } } } }', [1]],
    ['{ featured: { null: true }, id: { lte: 3 } }', [2, 3]],
    ['{ status: { eq: "done" } }', [1]],
    ['{ big: { eq: "9007199254740993" } }', [1]],
    ['{ happensAt: { eq: "2024-01-02T04:04:05.678+01:00" } }', [1]],
    ['{ publishedOn: { lt: "2024-02-04" } }', [1]],
    ['{ startsAt: { gte: "10:20:30" } }', [1]],
    ['{ summary: null, id: { lt: 3 } }', [1, 2]],
  ].map(([filter, found]) => ({
    title: `filters: ${String(filter)}`,
    query: `{ articles(filters: ${String(filter)}, sort: "id") { data { id } } }`,
    data: { articles: ids(...(found as number[])) },
  })),
  {
    title: 'filters in a variable',
    query: 'query ($f: ArticleFiltersInput) { articles(filters: $f) { data { id } } }',
    variables: { f: { or: [{ id: { eq: 3 } }] } },
    data: { articles: ids(3) },
  },
  {
    title: 'relations of a list: one command for each level',
    query: `{ articles(sort: "id", pagination: { limit: 2 }) { data { id attributes {
      author { data { id attributes { name } } } categories(sort: "name") { data { attributes { name } } } } } } }`,
    data: {
      articles: {
        data: [
          {
            id: '1',
            attributes: {
              author: { data: { id: '1', attributes: { name: 'Ada' } } },
              categories: { data: [{ attributes: { name: 'Science' } }] },
            },
          },
          {
            id: '2',
            attributes: {
              author: { data: { id: '2', attributes: { name: 'Grace' } } },
              categories: { data: [{ attributes: { name: 'Art' } }, { attributes: { name: 'Science' } }] },
            },
          },
        ],
      },
    },
    commands: 2,
  },
  {
    title: 'relation lists are cut for each parent',
    query: `{ authors(sort: "id") { data { id attributes { articles(sort: "id:desc", pagination: { limit: 2 }, filters: { id: { lt: 9 } }) { data { id } } } } } }`,
    data: {
      authors: {
        data: [
          { id: '1', attributes: { articles: ids(7, 5) } },
          { id: '2', attributes: { articles: ids(8, 6) } },
          { id: '3', attributes: { articles: ids() } },
        ],
      },
    },
    commands: 2,
  },
  {
    title: 'two aliases with different arguments',
    query: `{ author(id: 2) { data { attributes {
      first: articles(sort: "id", pagination: { limit: 1 }) { data { id } }
      last: articles(sort: "id:desc", pagination: { limit: 1 }) { data { attributes { title } } }
      drafts: articles(publicationState: PREVIEW, filters: { publishedAt: { null: true } }) { data { id } } } } } }`,
    data: {
      author: {
        data: { attributes: { first: ids(2), last: { data: [{ attributes: { title: 'Article 10' } }] }, drafts: ids(12) } },
      },
    },
  },
  {
    title: 'aliases on data and attributes, and one that is the name of another attribute',
    query: `{ author(id: 1) {
      a: data { attributes { articles(sort: "id", pagination: { limit: 1 }) { data { id } } } }
      b: data { x: attributes { articles(sort: "id:desc", pagination: { limit: 1 }) { data { id } } } y: attributes { name: articles(pagination: { limit: 1 }, sort: "id") { data { id } } age } } } }`,
    data: {
      author: {
        a: { attributes: { articles: ids(1) } },
        b: { x: { articles: ids(11) }, y: { name: ids(1), age: 36 } },
      },
    },
  },
  {
    title: 'an alias swaps a scalar and a relation',
    query: '{ article(id: 2) { data { attributes { title: author { data { id } } author: title } } } }',
    data: { article: { data: { attributes: { title: { data: { id: '2' } }, author: 'Article 2' } } } },
  },
  {
    title: 'fragments, skip and include',
    query: `query Q($no: Boolean!) { article(id: 1) { data { ...E id @include(if: $no) attributes { ... @skip(if: $no) { views } title @skip(if: true) } } } }
      fragment E on ArticleEntity { attributes { ...A author { data { attributes { age } } } } }
      fragment A on Article { author { data { attributes { name } } } }`,
    variables: { no: false },
    data: { article: { data: { attributes: { author: { data: { attributes: { name: 'Ada', age: 36 } } }, views: 10 } } } },
  },
  {
    title: 'components and lists of components with arguments',
    query: `{ article(id: 1) { data { attributes { seo { id metaTitle noIndex shareImage { data { id } } }
      sections(sort: "heading", filters: { pos: { lt: 3 } }) { heading cta { label } links(pagination: { limit: 1, start: 1 }) { label } }
      last: sections(sort: ["pos:desc"], pagination: { limit: 1 }) { id heading } } } } }`,
    data: {
      article: {
        data: {
          attributes: {
            seo: { id: '1', metaTitle: 'Meta', noIndex: false, shareImage: { data: null } },
            sections: [
              { heading: 'A', cta: { label: 'go' }, links: [] },
              { heading: 'B', cta: null, links: [{ label: 'two' }] },
            ],
            last: [{ id: '3', heading: 'C' }],
          },
        },
      },
    },
  },
  {
    title: 'dynamic zones by type',
    query: `{ article(id: 1) { data { attributes { blocks { __typename ... on ComponentBlocksRichText { id body } ... on ComponentBlocksQuote { text by } } } } } }`,
    data: {
      article: {
        data: {
          attributes: {
            blocks: [
              { __typename: 'ComponentBlocksRichText', id: '1', body: 'text' },
              { __typename: 'ComponentBlocksQuote', text: 'said', by: 'her' },
            ],
          },
        },
      },
    },
  },
  {
    query: '{ articles(filters: { id: { eq: 1 } }) { data { attributes { tags { data { attributes { label } } } } } } }',
    data: {
      articles: {
        data: [{ attributes: { tags: { data: [{ attributes: { label: 'blue' } }, { attributes: { label: 'red' } }] } } }],
      },
    },
  },
  {
    query: '{ homepage { data { attributes { headline featured { data { id } } } } } }',
    data: {
      homepage: { data: { attributes: { headline: 'Front', featured: ids(3, 1) } } },
    },
  },
  {
    query: '{ pages(sort: "id") { data { id attributes { locale } } } }',
    data: {
      pages: {
        data: [
          { id: '1', attributes: { locale: 'en' } },
          { id: '4', attributes: { locale: 'en' } },
        ],
      },
    },
  },
  { query: '{ pages(sort: "id", locale: "fr") { data { id } } }', data: { pages: ids(2) } },
  { query: '{ pages(sort: "id", locale: "all") { data { id } } }', data: { pages: ids(1, 2, 4) } },
  { query: '{ pages(locale: null) { data { id } } }', data: { pages: ids() } },
  { query: '{ pages(locale: "sw") { data { id } } }', data: { pages: ids() } },
  {
    query: '{ page(id: 1, locale: "fr") { data { id attributes { localizations(sort: "id") { data { id } } } } } }',
    data: {
      page: { data: { id: '1', attributes: { localizations: ids(2) } } },
    },
  },
  {
    query: '{ page(id: 1) { data { attributes { localizations(sort: "id", publicationState: PREVIEW) { data { id } } } } } }',
    data: {
      page: { data: { attributes: { localizations: ids(2, 3) } } },
    },
  },
  {
    query: '{ banner(locale: "fr") { data { attributes { text } } } }',
    data: { banner: { data: { attributes: { text: 'Bonjour' } } } },
  },
  {
    query: '{ banner(locale: "all") { data { attributes { text } } } }',
    data: { banner: { data: { attributes: { text: 'Hello' } } } },
  },
  { query: '{ banner(locale: "de") { data { id } } }', data: { banner: { data: null } } },
];

describe('GraphQL queries', () => {
  let server: ServedGraphql;

  before(async () => {
    server = await serveGraphql({ models, documents });
  });
  after(() => server.stop());

  for (const { title, query, variables, data, commands } of cases) {
    it(title ?? query, async () => {
      server.commands();
      const { body, status } = await server.query(query, variables);
      expect(body).to.deep.equal({ data });
      expect(status).to.equal(200);
      if (commands !== undefined) expect(server.commands()).to.have.length(commands);
    });
  }

  it('reads lists of entries that two fields lead to', async () => {
    const fragment =
      'fragment F on AuthorEntityResponse { data { id attributes { articles(sort: "id:desc", pagination: { limit: 2 }) { data { id } } } } }';
    const query = `{ articles(sort: "id", pagination: { limit: 2 }) { data { attributes { one: author { ...F } other: author { ...F } } } } } ${fragment}`;
    const author = (id: string, ...articles: number[]) => ({ data: { id, attributes: { articles: ids(...articles) } } });
    const [ada, grace] = [author('1', 11, 9), author('2', 10, 8)];
    const { body } = await server.query(query);
    expect(body).to.deep.equal({
      data: { articles: { data: [ada, grace].map((one) => ({ attributes: { one, other: one } })) } },
    });
  });

  it('sends no more commands for more rows', async () => {
    const nested = (limit: number) =>
      `{ articles(sort: "id", pagination: { limit: ${String(limit)} }) { data { attributes { author { data { attributes {
        articles(pagination: { limit: 2 }) { data { attributes { categories { data { id } } } } } } } } } } } }`;
    server.commands();
    await server.query(nested(1));
    const few = server.commands();
    await server.query(nested(10));
    expect(server.commands()).to.deep.equal(few);
    expect(few).to.have.length(3); // the articles of the authors come with these
  });
});

describe('GraphQL rights', () => {
  let server: ServedGraphql;
  const granted = ['article', 'author', 'category', 'tag'].flatMap((name) =>
    ['find', 'findOne'].map((action) => actionOf(`api::${name}.${name}`, action)),
  );

  before(async () => {
    const access = { grants: { kind: 'actions', actions: new Set(granted) }, rules: new Map(), hidden: new Map() } as const;
    server = await serveGraphql({ models, documents, access });
  });
  after(() => server.stop());

  const forbidden = {
    message: 'Forbidden access',
    extensions: { error: { name: 'ForbiddenError', message: 'Forbidden access', details: {} }, code: 'FORBIDDEN' },
  };

  it('refuse a root field without failing the others', async () => {
    const { text } = await server.query('{ vaults { data { id } } tags(sort: "id") { data { id } } }');
    expect(text).to.equal(
      `${JSON.stringify({ errors: [forbidden], data: { vaults: null, tags: { data: [{ id: '1' }, { id: '2' }] } } })}\n`,
    );
  });

  it('refuse a nested relation without failing its parent', async () => {
    const { body } = await server.query(
      '{ article(id: 1) { data { id attributes { dossier { data { id } } author { data { id } } } } } }',
    );
    expect(body).to.deep.equal({
      errors: [forbidden],
      data: { article: { data: { id: '1', attributes: { dossier: null, author: { data: { id: '1' } } } } } },
    });
  });

  it('refuse a relation in filters and in sort', async () => {
    for (const args of ['filters: { dossier: { name: { eq: "hidden" } } }', 'sort: "dossier.name"']) {
      const { body } = await server.query(`{ articles(${args}) { data { id } } }`);
      expect(body.errors[0].message).to.equal('Invalid parameter dossier');
      expect(body.errors[0].extensions.code).to.equal('BAD_USER_INPUT');
      expect(body.data).to.deep.equal({ articles: null });
    }
  });

  it('wrong arguments of a nested list fail that list only', async () => {
    const { body } = await server.query(
      '{ author(id: 1) { data { id attributes { articles(filters: { secret: { eq: "x" } }) { data { id } } } } } }',
    );
    expect(body.errors[0].message).to.equal('Invalid parameter secret');
    expect(body.data).to.deep.equal({ author: { data: { id: '1', attributes: { articles: null } } } });
  });
});
