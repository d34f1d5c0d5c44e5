import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { findMany } from '../../src/content/find-many.js';
import { emptyQuery } from '../../src/query/ast.js';
import { defaultLimits } from '../support/default-limits.js';
import { parseFilters } from '../../src/query/parse-filter.js';
import { parseSort } from '../../src/query/parse-list.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, typeOf } from '../support/things.js';

/** Queries of people that take longer than their limit, and what they need. Null: they have an index, or none would help. */
const cases: readonly (readonly [filter: object, sort: string, needs: string | null])[] = [
  [{ name: 'x' }, '', 'name ("index": true)'],
  [{ name: { $containsi: 'xyz' } }, '', 'name ("search": "trigram")'],
  [{ $or: [{ name: 'x' }, { age: 3 }] }, '', 'name ("index": true)'],
  [{}, 'name', 'name ("index": true)'],
  [{ boss: { name: { $contains: 'xyz' } } }, '', 'name ("search": "trigram")'],
  [{ age: { $gte: 0 } }, '', null],
  [{ name: { $ne: 'x' } }, '', null],
  [{ name: { $containsi: 'e' }, age: { $gte: 0 } }, 'name', null],
];

describe('a time limit that is hit', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    const rows = Array.from({ length: 40_000 }, (_, index) => ({ _id: index, name: `somebody ${String(index)}`, age: 1 }));
    await database.db.collection<{ _id: number }>('persons').insertMany(rows);
    await database.db.collection('persons').createIndex({ age: 1 }); // an operator's own
  });
  after(() => database.drop());

  for (const [filter, sort, needs] of cases)
    it(`${JSON.stringify(filter)} ${sort}: ${needs === null ? '503' : `400, ${needs}`}`, async () => {
      const { store, ...context } = contextOf(database);
      const limited = { ...store, database: { ...store.database, maxTimeMS: { read: 1, write: 1 } } };
      const query = { ...emptyQuery, filter: parseFilters(filter, defaultLimits), sort: parseSort(sort, defaultLimits) };
      const find = () =>
        findMany(typeOf('api::person.person'), query, { ...context, store: limited }).catch((error: unknown) => error);
      let failure = await find();
      // the server's clock may be late
      for (let attempt = 0; !(failure instanceof ApiError) && attempt < 100; attempt++) failure = await find();
      if (!(failure instanceof ApiError)) throw new Error(`no error: ${String(failure)}`);
      expect(failure.status).to.equal(needs === null ? 503 : 400);
      if (needs !== null) expect(failure.message).to.contain(`no index leads to ${needs}`);
    });
});
