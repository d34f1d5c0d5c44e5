import { expect } from 'chai';
import { findMany } from '#content/find-many.js';
import { createBudget, unlimited } from '#base/limits/budget.js';
import { emptyQuery } from '#model/query/ast.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parsePagination, parseSort } from '#model/query/parse-list.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { createConfig } from '#settings/create-config.js';
import { ensureIndexes } from '#store/models/indexes.js';
import { ReadTrace } from '#store/read/explain-read.js';
import { pageAndTotal } from '#store/read/ways/page-and-total.js';
import type { Way } from '#store/read/ways/way.js';
import { ways } from '#store/read/ways/ways.js';
import { collectionType } from '../support/collection-type.js';
import { defaultLimits } from '../support/default-limits.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, typeOf } from '../support/things.js';

const to = (target: string, relation: string, sides: object = {}): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...sides,
});

const number = { type: 'integer', index: true };
const { registry } = buildRegistry([
  collectionType('article', {
    views: number,
    rating: { type: 'integer' },
    author: to('author', 'manyToOne', { inversedBy: 'articles' }),
    section: to('section', 'manyToOne'),
    categories: to('category', 'manyToMany'),
    tags: to('tag', 'manyToMany'),
    comments: to('comment', 'oneToMany', { mappedBy: 'article' }),
    issues: to('issue', 'manyToMany', { mappedBy: 'articles' }),
  }),
  collectionType('author', {
    rank: number,
    country: to('country', 'manyToOne'),
    articles: to('article', 'oneToMany', { mappedBy: 'author' }),
  }),
  ...['section', 'category', 'tag', 'country'].map((name) => collectionType(name, { rank: number })),
  collectionType('issue', { rank: number, articles: to('article', 'manyToMany', { inversedBy: 'issues' }) }),
  collectionType('comment', { rank: number, article: to('article', 'manyToOne', { inversedBy: 'comments' }) }),
]);
const article = typeOf('api::article.article', registry);

const sizes = {
  articles: 10_000,
  authors: 200,
  countrys: 10,
  sections: 10,
  categorys: 100,
  tags: 500,
  issues: 50,
  comments: 20_000,
};
const at = (index: number, prime: number, of: keyof typeof sizes): number => ((index * prime) % sizes[of]) + 1;
const rows = (of: keyof typeof sizes, make: (index: number) => object = () => ({})) =>
  Array.from({ length: sizes[of] }, (_, index) => ({ _id: index + 1, rank: index, createdAt: new Date(index), ...make(index) }));
const documents = {
  articles: rows('articles', (index) => ({
    views: (index * 7919) % sizes.articles,
    rating: index % 10,
    author: at(index, 7, 'authors'),
    section: at(index + Math.floor(index / 10), 3, 'sections'),
    categories: [at(index, 13, 'categorys'), at(index + Math.floor(index / 100), 29, 'categorys')],
    tags: [0, 1, 2].map((shift) => at(index + shift * Math.floor(index / 500), 31 + shift, 'tags')),
  })),
  authors: rows('authors', (index) => ({ country: at(index, 3, 'countrys') })),
  comments: rows('comments', (index) => ({ article: at(index, 271, 'articles') })),
  issues: rows('issues', (index) => ({ articles: Array.from({ length: 100 }, (_, place) => at(index + place, 97, 'articles')) })),
  ...Object.fromEntries((['countrys', 'sections', 'categorys', 'tags'] as const).map((name) => [name, rows(name)])),
};

const first = (many: number): object => ({ rank: { $lt: many } });
const [once, ids] = ['page and total from related entries', 'other'] as const;

/** Filters, their order, and the way in which they are read when they are asked for the first time. */
const filters: readonly (readonly [title: string, filter: object, way: string, sort?: string])[] = [
  ['one author of 200', { author: first(1) }, once],
  ['10 authors', { author: first(10) }, once],
  ['30 authors', { author: first(30) }, once],
  ['half of the authors', { author: first(100) }, ids],
  ['no author', { author: first(0) }, once],
  ['10 authors, sorted by views', { author: first(10) }, once, 'views:desc'],
  ['30 authors, sorted by views, whose index finds the page', { author: first(30) }, ids, 'views:desc'],
  ['30 authors, sorted by rating', { author: first(30) }, once, 'rating'],
  ['one country', { author: { country: first(1) } }, once],
  ['three countries', { author: { country: first(3) } }, ids],
  ['one category', { categories: first(1) }, once],
  ['five categories', { categories: first(5) }, once],
  ['half of the categories', { categories: first(50) }, ids],
  ['20 comments', { comments: first(20) }, once],
  ['1,500 comments', { comments: first(1_500) }, once],
  ['three issues, each of 100 articles', { issues: first(3) }, once],
  ['half of the comments', { comments: first(10_000) }, ids],
  ['10 authors, and half of the ratings', { author: first(10), rating: { $lt: 5 } }, once],
  ['half of the authors, one category', { author: first(100), categories: first(1) }, once],
  ['half of the authors, half of the categories', { author: first(100), categories: first(50) }, ids],
  ['one country, and 20 comments', { author: { country: first(1) }, comments: first(20) }, once],
  ['three relations', { author: first(20), categories: first(10), section: first(5) }, once],
  ['three broad relations', { author: first(150), categories: first(80), section: first(9) }, ids],
  ['four relations', { author: first(20), categories: first(9), section: first(5), tags: first(50) }, once],
  ['five relations', { author: first(20), categories: first(9), section: first(5), tags: first(50), comments: first(200) }, once],
  [
    'five broad relations',
    { author: first(199), categories: first(99), section: first(9), tags: first(499), comments: first(16_000) },
    ids,
  ],
  ['one author, one category, sorted by views', { author: first(1), categories: first(5) }, once, 'views'],
];

/** Documents that the server may examine by another index before it chooses one. */
const trial = 25;

describe('a deep filter that is asked for the first time, with its total', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    for (const [name, made] of Object.entries(documents)) await database.db.collection<{ _id: number }>(name).insertMany(made);
    for (const type of registry.types.values())
      if (type.uid.startsWith('api::')) await ensureIndexes(database.db, type, registry);
  });
  after(() => database.drop());

  /** Reads a list as a new question, and explains it. */
  async function ask(filter: object, sort: string, budget = unlimited) {
    const context = contextOf(database, registry);
    const query = {
      ...emptyQuery,
      filter: parseFilters(filter, defaultLimits),
      sort: parseSort(sort, defaultLimits),
      pagination: parsePagination({ start: '0', limit: '25', withCount: 'true' }),
    };
    const trace = new ReadTrace();
    const own = { ...context.store.database, trace, budget };
    await findMany(article, { ...query, sort: [...query.sort] }, context); // the sizes of the collections are known for a minute
    const { entries, total } = await findMany(article, query, { ...context, store: { ...context.store, database: own } });
    const { way, commands } = await trace.explain(context.store.database, registry);
    const examined = commands.reduce((sum, { work }) => sum + work.documentsExamined, 0);
    const names = commands.map(({ command }) => Object.entries(command as object)[0]?.join(' '));
    return { way, names, commands, examined, found: { ids: entries.map(({ document }) => document['_id'] as unknown), total } };
  }

  /** Does the same without the way that reads both at once. */
  async function askBefore(filter: object, sort: string) {
    const table = ways as Way[];
    const place = table.indexOf(pageAndTotal);
    table.splice(place, 1);
    try {
      return await ask(filter, sort);
    } finally {
      table.splice(place, 0, pageAndTotal);
    }
  }

  it('limits the ids that one related entry may lead to many of, and no others', async () => {
    const { limits } = createConfig({ environment: 'test' }).api;
    const limit = JSON.stringify({ $limit: limits.idsResolved + 1 });
    const isLimited = async (filter: object): Promise<boolean> => {
      const { way, commands } = await ask(filter, '', createBudget(limits, 'public'));
      expect(way).to.equal(once);
      return JSON.stringify(commands[0]?.command).includes(limit);
    };
    const found = [{ issues: first(2) }, { comments: first(2) }, { categories: first(2) }].map(isLimited);
    expect(await Promise.all(found)).to.deep.equal([true, false, false]);
  });

  for (const [title, filter, way, sort = ''] of filters)
    it(`${title}: ${way}`, async () => {
      const before = await askBefore(filter, sort);
      const now = await ask(filter, sort);
      if (process.env['SHOW'])
        console.log(title, before.examined, before.names, now.examined, now.names, now.way, now.found.total);
      expect(now.found).to.deep.equal(before.found);
      expect(now.way === once ? once : ids).to.equal(way);
      expect(now.examined).to.be.at.most(before.examined + trial);
      expect(now.commands.length).to.be.at.most(before.commands.length);
      if (way !== once) return;
      expect(now.commands).to.have.length(1);
      expect(JSON.stringify(now.commands[0]?.command)).to.contain('$lookup');
    });
});
