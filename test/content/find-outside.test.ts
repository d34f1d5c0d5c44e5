import { expect } from 'chai';
import { features } from '#features.js';
import type { TextSearch } from '#content/finder.js';
import type { Feature } from '#http/feature.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { FoundEntries } from '#model/query/ast.js';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const localized = { pluginOptions: { i18n: { localized: true } } };

const models = [
  collectionType('author', { name: { type: 'string' } }),
  collectionType(
    'article',
    {
      title: { type: 'string' },
      views: { type: 'integer' },
      note: { type: 'text', searchable: false },
      secret: { type: 'string', private: true },
      key: { type: 'password' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    },
    { options: { draftAndPublish: true } },
  ),
  collectionType('page', { heading: { type: 'string', ...localized } }, { options: { draftAndPublish: true }, ...localized }),
];

/** What finds: the ids that a test sets, and what it was asked for. */
const finder = {
  found: null as FoundEntries | null,
  searches: [] as TextSearch[],
  covers: ({ singularName }: ContentType) => singularName !== 'author',
  find(search: TextSearch) {
    this.searches.push(search);
    return Promise.resolve(this.found);
  },
};

const outside: Feature = { name: 'outside', finder: () => finder };

/** Says which ids are found. */
const finds = (ids: readonly number[], isTruncated = false): void => {
  finder.searches = [];
  finder.found = { ids, isTruncated, by: 'outside' };
};

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly pagination: Record<string, unknown>; readonly searchTruncated?: true };
}

describe('entries that something outside of the database finds', () => {
  let serving: Serving;
  const get = async (path: string): Promise<Page> => {
    const { status, body } = await serving.call('GET', path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Page;
  };
  const idsOf = async (path: string): Promise<readonly number[]> => (await get(path)).data.map(({ id }) => id);

  before(async () => {
    serving = await serveModels({ models, features: [...features, outside] });
    await serving.call('POST', '/api/authors', { data: { name: 'Ann' } });
    await serving.call('POST', '/api/authors', { data: { name: 'Bob' } });
    for (let index = 1; index <= 8; index += 1) {
      const data = { title: `Title ${String(9 - index)}`, views: index % 3, author: 1 + (index % 2), secret: 'Title' };
      await serving.call('POST', '/api/articles', { data: { ...data, publishedAt: index === 4 ? null : '2024-01-01' } });
    }
  });
  after(() => serving.stop());

  it('come in its order, without drafts and ids that there are not, with an exact total', async () => {
    finds([7, 99, 4, 2, 5]);
    const { data, meta } = await get('/api/articles?_q=anything');
    expect(data.map(({ id }) => id)).to.deep.equal([7, 2, 5]);
    expect(meta).to.deep.equal({ pagination: { page: 1, pageSize: 25, pageCount: 1, total: 3 } });
    expect(finder.searches.map(({ text, attributes, isLive }) => ({ text, attributes, isLive }))).to.deep.equal([
      { text: 'anything', attributes: ['title'], isLive: true },
    ]);
  });

  it('have pages in its order', async () => {
    finds([7, 4, 2, 5, 1, 8]);
    const { data, meta } = await get('/api/articles?_q=x&pagination[page]=2&pagination[pageSize]=2');
    expect(data.map(({ id }) => id)).to.deep.equal([5, 1]);
    expect(meta.pagination).to.deep.equal({ page: 2, pageSize: 2, pageCount: 3, total: 5 });
    expect(await idsOf('/api/articles?_q=x&pagination[start]=4&pagination[limit]=2')).to.deep.equal([8]);
    expect(await idsOf('/api/articles?_q=x&pagination[start]=5&pagination[limit]=2')).to.deep.equal([]);
  });

  it('have pages by cursors, which follow their entry when the order has changed', async () => {
    finds([7, 4, 2, 5, 1, 8]);
    const first = await get('/api/articles?_q=x&pagination[cursors]=true&pagination[limit]=2');
    expect(first.data.map(({ id }) => id)).to.deep.equal([7, 2]);
    const { end } = first.meta.pagination['cursors'] as { readonly end: string };
    finds([3, 6, 7, 2, 5, 1]);
    const next = await get(`/api/articles?_q=x&pagination[after]=${encodeURIComponent(end)}&pagination[limit]=5`);
    expect(next.data.map(({ id }) => id)).to.deep.equal([5, 1]);
    expect(next.meta.pagination).to.include({ hasNext: false, hasPrevious: true });
  });

  it('have pages by cursors also if their order is a later key', async () => {
    finds([8, 7, 6, 5, 3, 2, 1]);
    const path = '/api/articles?_q=x&sort=views,_score&pagination[limit]=3';
    const first = await get(`${path}&pagination[cursors]=true`);
    expect(first.data.map(({ id }) => id)).to.deep.equal([6, 3, 7]);
    const { end } = first.meta.pagination['cursors'] as { readonly end: string };
    finds([1, 7, 6, 5, 3, 2, 8]);
    const after = `${path}&pagination[after]=${encodeURIComponent(end)}`;
    expect(await idsOf(after)).to.deep.equal([5, 2, 8]);
    finder.found = { ids: [7, 1], isTruncated: false, by: 'another' };
    expect((await serving.call('GET', after)).status).to.equal(400);
    finder.found = null;
    expect((await serving.call('GET', after)).status).to.equal(400);
  });

  it('meet filters, also through relations, and have the order that the query names', async () => {
    finds([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await idsOf('/api/articles?_q=x&filters[author][name]=Ann')).to.deep.equal([8, 6, 2]);
    expect(await idsOf('/api/articles?_q=x&filters[views][$lt]=1')).to.deep.equal([6, 3]);
    expect(await idsOf('/api/articles?_q=x&sort=title&pagination[limit]=3')).to.deep.equal([8, 7, 6]);
    expect(await idsOf('/api/articles?_q=x&sort=views,_score')).to.deep.equal([6, 3, 7, 1, 8, 5, 2]);
    expect(await idsOf('/api/articles?_q=x&sort=author.name,_score')).to.deep.equal([8, 6, 2, 7, 5, 3, 1]);
  });

  it('are counted, grouped and in facets', async () => {
    finds([8, 7, 4, 1]);
    expect((await serving.call('GET', '/api/articles/count?_q=x')).body.data).to.deep.equal({ count: 3 });
    const { meta } = await get('/api/articles?_q=x&facets=views');
    expect((meta as object as { facets: object }).facets).to.deep.equal({
      views: [
        { value: 1, count: 2 },
        { value: 2, count: 1 },
      ],
    });
    const groups = await serving.call('GET', '/api/articles/aggregate?_q=x&groupBy=views&aggregate[count]=*&sort=views');
    expect(groups.body.data).to.deep.equal([
      { group: { views: 1 }, count: 2 },
      { group: { views: 2 }, count: 1 },
    ]);
  });

  it('may be drafts if the query asks for them', async () => {
    finds([5, 4, 1]);
    expect(await idsOf('/api/articles?_q=x&publicationState=preview')).to.deep.equal([5, 4, 1]);
    expect(finder.searches[0]?.isLive).to.equal(false);
  });

  it('are marked if there are more', async () => {
    finds([5, 1], true);
    expect((await get('/api/articles?_q=x')).meta.searchTruncated).to.equal(true);
  });

  it('are counted, grouped and in facets by the database if there are more', async () => {
    finds([5, 1], true);
    expect((await serving.call('GET', '/api/articles/count?_q=Title')).body.data).to.deep.equal({ count: 7 });
    const { meta } = await get('/api/articles?_q=Title&facets=views');
    const { views } = (meta as object as { facets: { views: readonly { count: number }[] } }).facets;
    expect(views.reduce((sum, { count }) => sum + count, 0)).to.equal(7);
    const { body } = await serving.call('GET', '/api/articles/aggregate?_q=Title&aggregate[count]=*');
    expect(body.data).to.deep.equal([{ group: {}, count: 7 }]);
  });

  it('may be wanted in its order while the database searches', async () => {
    finder.found = null;
    expect(await idsOf('/api/articles?_q=Title&sort=_score&pagination[limit]=2')).to.deep.equal([1, 2]);
    expect(await idsOf('/api/articles?_q=Title&sort=views,_score')).to.deep.equal([3, 6, 1, 7, 2, 5, 8]);
    expect(await idsOf('/api/articles?_q=6&sort=_score')).to.deep.equal([3, 6]);
    expect((await serving.call('GET', '/api/authors?_q=Ann&sort=_score')).status).to.equal(400);
    expect((await serving.call('GET', '/api/articles?sort=_score')).status).to.equal(400);
  });

  it('are explained', async () => {
    finds([5, 4, 1]);
    const { body } = await serving.call('GET', '/api/articles?_q=x&explain=true');
    expect(body.error?.message).to.equal('explain requires an admin token');
  });

  it('are none if there are no ids', async () => {
    finds([]);
    const { data, meta } = await get('/api/articles?_q=Title');
    expect(data).to.deep.equal([]);
    expect(meta.pagination).to.include({ total: 0 });
  });

  it('are searched by the database if nothing answers, for numbers, and for a text that is too long', async () => {
    finder.found = null;
    expect(await idsOf('/api/articles?_q=Title 5')).to.deep.equal([]);
    expect(await idsOf('/api/articles?_q=Title 6')).to.deep.equal([3]);
    finds([1]);
    expect(await idsOf('/api/articles?_q=6')).to.deep.equal([3, 6]);
    expect((await serving.call('GET', `/api/articles?_q=${'x'.repeat(1001)}`)).status).to.equal(400);
    expect(finder.searches).to.deep.equal([]);
  });

  it('are asked for in the locales of the query', async () => {
    await serving.call('POST', '/api/pages', { data: { heading: 'One' } });
    finds([1]);
    for (const query of ['', '&locale=all', '&fallbackLocale=en', '&locale=en']) await get(`/api/pages?_q=x${query}`);
    expect(finder.searches.map(({ locales }) => locales)).to.deep.equal([['en'], null, null, ['en']]);
  });
});
