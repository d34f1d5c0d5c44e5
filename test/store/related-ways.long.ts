import { expect } from 'chai';
import type { CommandStartedEvent } from 'mongodb';
import { findMany } from '#content/find-many.js';
import { emptyQuery } from '#model/query/ast.js';
import { Budget, unlimited } from '#base/limits/budget.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parsePagination, parseSort } from '#model/query/parse-list.js';
import { ensureIndexes } from '#store/models/indexes.js';
import { defaultLimits } from '../support/default-limits.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, thingRegistry, typeOf } from '../support/things.js';

const count = 400;
const published = (id: number) => (id % 4 === 0 ? null : new Date(id));
const documents = {
  things: Array.from({ length: count }, (_, index) => ({
    _id: index + 1,
    name: `thing ${String((index * 7) % 100)}`,
    count: index % 10,
    owner: index % 9 === 2 ? null : ((index * 31) % 90) + 1,
    tags: index % 5 === 1 ? [] : [((index * 13) % 40) + 1, ((index * 17) % 40) + 1],
  })),
  persons: Array.from({ length: 100 }, (_, index) => ({
    _id: index + 1,
    name: index % 11 === 3 ? null : `person ${String(index)}`,
    age: index % 20,
    boss: index % 6 === 5 ? null : (index % 30) + 1,
  })),
  tags: Array.from({ length: 40 }, (_, index) => ({
    _id: index + 1,
    name: `tag ${String(index)}`,
    publishedAt: published(index),
  })),
};

/** Filters that lead through relations: stored by the entry or by the other side, one or two hops, negated, several at once. */
const filters: readonly (readonly [type: string, filter: object])[] = [
  ['thing', { owner: { age: { $lt: 15 } } }],
  ['thing', { owner: { age: 3 }, count: { $gt: 2 } }],
  ['thing', { tags: { name: { $contains: '1' } } }],
  ['thing', { tags: { name: { $contains: '1' } }, owner: { age: { $lt: 10 } } }],
  ['thing', { $and: [{ tags: { name: 'tag 1' } }, { tags: { name: { $startsWith: 'tag' } } }] }],
  ['thing', { $or: [{ owner: { age: { $gt: 10 } } }, { count: 3 }] }],
  ['thing', { $not: { owner: { age: { $gt: 10 } } } }],
  ['thing', { owner: { name: { $null: true } } }],
  ['thing', { owner: { age: { $contains: '1' } } }],
  ['thing', { owner: { boss: { age: { $lt: 12 } } } }],
  ['thing', { owner: { boss: { age: { $lt: 12 } }, name: { $contains: '1' } }, count: { $lt: 8 } }],
  ['person', { things: { count: { $gt: 3 } } }],
  ['person', { things: { tags: { name: { $contains: '2' } } } }],
  ['person', { things: { id: { $null: true } } }],
  ['person', { staff: { things: { count: 1 } } }],
  ['tag', { things: { owner: { age: { $gt: 5 } } } }],
  ['person', { name: { $notNull: true }, things: { name: 'no such thing' } }],
];

const lists = ['', 'name:desc', 'owner.name'].flatMap((sort) =>
  [
    { start: '0', limit: '25' },
    { start: '20', limit: '10' },
  ].map((range) => ({ sort, range })),
);

/** More than this number of ids is too many. */
const few = 5;

describe('filters on related entries return the same entries and total', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    for (const [name, rows] of Object.entries(documents)) await database.db.collection<{ _id: number }>(name).insertMany(rows);
    for (const name of ['thing', 'person', 'tag'])
      await ensureIndexes(database.db, typeOf(`api::${name}.${name}`), thingRegistry);
  });
  after(() => database.drop());

  const queryOf = (filter: object, sort: string, range: object, withCount: string) => ({
    ...emptyQuery,
    filter: parseFilters(filter, defaultLimits),
    sort: parseSort(sort, defaultLimits),
    pagination: parsePagination({ ...range, withCount }),
  });

  /** The context of a request that may resolve few ids, or any number. */
  const within = (idsResolved: number) => {
    const context = contextOf(database);
    const budget = idsResolved === Infinity ? unlimited : new Budget({ ...defaultLimits, idsResolved });
    return { ...context, store: { ...context.store, database: { ...context.store.database, budget } } };
  };

  for (const [name, filter] of filters)
    it(`${name}: ${JSON.stringify(filter)}`, async () => {
      const type = typeOf(`api::${name}.${name}`);
      for (const { sort, range } of lists.filter(({ sort: one }) => name === 'thing' || one !== 'owner.name')) {
        const first = queryOf(filter, sort, range, 'true');
        const ask = async (query: typeof first, ids: number) => {
          const { entries, total } = await findMany(type, query, within(ids));
          return { ids: entries.map(({ document }) => document['_id'] as unknown), total };
        };
        const expected = await ask(first, Infinity);
        const alone = { ...expected, total: null };
        expect(await ask(first, Infinity), 'again').to.deep.equal(expected);
        expect(await ask(queryOf(filter, sort, range, 'false'), Infinity), 'without a total').to.deep.equal(alone);
        const joined = queryOf(filter, sort, range, 'true');
        for (const read of ['joined', 'joined again']) expect(await ask(joined, few), read).to.deep.equal(expected);
        const page = queryOf(filter, sort, range, 'false');
        for (const read of ['joined alone', 'joined alone again']) expect(await ask(page, few), read).to.deep.equal(alone);
      }
    });

  it('read a narrow filter by two relations with one command', async () => {
    const query = queryOf({ tags: { name: 'tag 1' }, owner: { age: 3 } }, 'count', { limit: '100' }, 'true');
    const seen: string[] = [];
    const listen = ({ command }: CommandStartedEvent): void => void seen.push(Object.entries(command)[0]?.join(' ') ?? '');
    const type = typeOf('api::thing.thing');
    await findMany(type, query, contextOf(database));
    database.client.on('commandStarted', listen);
    await findMany(type, query, contextOf(database));
    database.client.off('commandStarted', listen);
    expect(seen).to.deep.equal(['aggregate persons']);
  });
});
