import { expect } from 'chai';
import type { Document } from 'mongodb';
import { collectionType } from '../support/collection-type.js';
import { commandsDuring, explain } from '../support/explain.js';
import { serveModels, type Serving } from '../support/serve.js';

const to = (target: string, relation: string, sides: object): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...sides,
});

const models = [
  collectionType('author', {
    name: { type: 'string' },
    articles: to('article', 'oneToMany', { mappedBy: 'author' }),
  }),
  collectionType('article', {
    title: { type: 'string' },
    views: { type: 'integer', index: true },
    author: to('author', 'manyToOne', { inversedBy: 'articles' }),
    comments: to('comment', 'oneToMany', { mappedBy: 'article' }),
  }),
  collectionType('comment', {
    score: { type: 'integer', index: true },
    article: to('article', 'manyToOne', { inversedBy: 'comments' }),
  }),
];

const size = { authors: 200, articles: 4_000, comments: 12_000 };
const rows = <Row extends object>(count: number, make: (id: number) => Row) =>
  Array.from({ length: count }, (_, index) => ({ _id: index + 1, createdAt: new Date(index), ...make(index + 1) }));
const documents = {
  authors: rows(size.authors, (id) => ({ name: `author ${String(id)}` })),
  articles: rows(size.articles, (id) => ({
    title: `article ${String(id)}`,
    views: (id * 7919) % size.articles,
    author: ((id * 31) % size.authors) + 1,
  })),
  comments: rows(size.comments, (id) => ({ score: (id * 7919) % size.comments, article: ((id * 271) % size.articles) + 1 })),
};

describe('deep filters', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents });
    await serving.settled();
    // the first request reads who may do what, and the sizes of the collections
    await serving.call('GET', '/api/articles?filters[comments][score]=1&sort=views');
  });
  after(() => serving.stop());

  const ask = async (path: string) => {
    const { result, commands } = await commandsDuring(
      serving.server.backend?.store.database.client,
      ['find', 'aggregate', 'count'],
      () => serving.call('GET', path),
    );
    expect(result.status, JSON.stringify(result.body)).to.equal(200);
    return { body: result.body, commands: commands.filter((one) => one['$db'] === serving.database.name) as readonly Document[] };
  };
  const counts = ({ commands }: { readonly commands: readonly Document[] }): number =>
    commands.filter(
      (one) =>
        'count' in one ||
        (one['pipeline'] as readonly Document[] | undefined)?.some((stage) => '$count' in stage || '$facet' in stage),
    ).length;

  it('the total of a filter on the other side is kept until an entry of either type is written', async () => {
    const path = '/api/articles?filters[comments][score][$lt]=2500&sort=views:desc&fields=views';
    const low = new Set(documents.comments.flatMap(({ score, article }) => (score < 2_500 ? [article] : [])));
    const first = await ask(path);
    expect([first.body.meta.pagination.total, counts(first)]).to.deep.equal([low.size, 1]);
    for (const again of ['second', 'third']) expect(counts(await ask(path)), again).to.equal(0);
    const other = documents.articles.find(({ _id }) => !low.has(_id))?._id;
    expect((await serving.call('POST', '/api/comments', { data: { score: 1, article: other } })).status).to.equal(200);
    expect((await ask(path)).body.meta.pagination.total, 'after a comment was written').to.equal(low.size + 1);
    expect((await serving.call('DELETE', `/api/articles/${String(other)}`)).status).to.equal(200);
    expect((await ask(path)).body.meta.pagination.total, 'after an article was deleted').to.equal(low.size);
  });

  it('a page without a total of a broad filter on the other side is joined in the order of the sort', async () => {
    const low = new Set(documents.comments.flatMap(({ score, article }) => (score < 6_000 ? [article] : [])));
    const inOrder = documents.articles.filter(({ _id }) => low.has(_id)).sort((one, other) => other.views - one.views);
    const ids = (await serving.call('GET', '/api/articles?sort=views:desc&fields=views&pagination[limit]=100')).body.data;
    const alive = new Set((ids as readonly { id: number }[]).map(({ id }) => id));
    const path = (score: number) =>
      `/api/articles?filters[comments][score][$lt]=${String(score)}&sort=views:desc&fields=views&pagination[withCount]=false`;
    await ask(path(6_000)); // counts the related entries, once a minute
    const { body, commands } = await ask(path(6_000));
    expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal(
      inOrder
        .map(({ _id }) => _id)
        .filter((id) => alive.has(id))
        .slice(0, 25),
    );
    expect(commands.map(({ aggregate }) => aggregate as string)).to.deep.equal(['articles']);
    const work = await explain(serving.database.db, commands[0] ?? {});
    expect(work.documentsExamined).to.be.below(1_000);
    await ask(path(5));
    expect(
      (await ask(path(5))).commands.map(({ aggregate }) => aggregate as string),
      'narrow',
    ).to.deep.equal(['comments']);
  });

  const broad = 'filters[author][name][$ne]=author 4';
  const byId = 'filters[id][$in][0]=5&filters[id][$in][1]=9';
  /** Filters of which one is broad and another one narrow, and how many entries the narrow one leads to. */
  const cases: readonly (readonly [filters: string, most: number])[] = [
    [`${broad}&${byId}`, 2],
    [`${broad}&${byId}&filters[views][$gte]=0`, 2],
    [`${broad}&filters[$or][0][views]=7&filters[$or][1][views]=9`, 2],
    [`${broad}&filters[$or][0][author][name]=author 3&filters[$or][1][views]=9`, 21],
    [`${broad}&filters[$or][0][comments][score]=7&filters[$or][1][id]=9`, 2],
    [`${broad}&filters[comments][score]=7`, 1],
  ];
  const uncounted = '&pagination[withCount]=false';
  const all = cases.flatMap(([filters, most]) => ['', uncounted].map((count) => [`${filters}${count}`, most] as const));
  for (const [query, most] of [...all, [`filters[comments][score][$lt]=6000&${byId}${uncounted}`, 2] as const])
    it(`examines few entries for ${query}`, async () => {
      const path = `/api/articles?${query}&sort=views&fields=views`;
      const { body, commands } = await ask(path);
      const onArticles = commands.filter((one) => one['find'] === 'articles' || one['aggregate'] === 'articles');
      for (const command of onArticles) {
        const { keysExamined, documentsExamined } = await explain(serving.database.db, command);
        expect(keysExamined, 'keys').to.be.at.most(3 * most + 5);
        expect(documentsExamined, 'documents').to.be.at.most(5 * most);
      }
      expect((await ask(path)).body.data, 'asked again').to.deep.equal(body.data);
    });
});
