import { expect } from 'chai';
import { ApiError } from '#base/errors.js';
import { findMany } from '#content/find-many.js';
import { emptyQuery } from '#model/query/ast.js';
import { collectionType } from '../support/collection-type.js';
import { defaultLimits } from '../support/default-limits.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parseSort } from '#model/query/parse-list.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { fullAccess, type Access } from '#model/query/access.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { TestModel } from '../support/serve.js';
import { contextOf, typeOf } from '../support/things.js';

/** The trigrams of `nick` and the index of `rank` are still being built. Nothing was written to the collection of teams. */
const models: readonly TestModel[] = [
  collectionType('person', {
    name: { type: 'string' },
    nick: { type: 'string', search: 'trigram' },
    age: { type: 'integer' },
    rank: { type: 'integer', index: true },
    home: { type: 'component', component: 'test.home' },
    boss: { type: 'relation', relation: 'manyToOne', target: 'api::person.person' },
    team: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
  }),
  collectionType('team', { name: { type: 'string' } }),
  {
    uid: 'test.home',
    collectionName: 'components_test_homes',
    info: { displayName: 'Home' },
    attributes: { town: { type: 'string' } },
  },
];
const { registry } = buildRegistry(models);

/** Queries of people that take longer than their limit, and what they need. Null: they have an index, or none would help. */
const cases: readonly (readonly [filter: object, sort: string, needs: string | null])[] = [
  [{ name: 'x' }, '', 'name ("index": true)'],
  [{ name: { $containsi: 'xyz' } }, '', 'name ("search": "trigram")'],
  [{ $or: [{ name: 'x' }, { age: 3 }] }, '', 'name ("index": true)'],
  [{}, 'name', 'name ("index": true)'],
  [{ boss: { name: { $contains: 'xyz' } } }, '', 'boss.name ("search": "trigram")'],
  [{ age: { $gte: 0 } }, '', null],
  [{ name: { $ne: 'x' } }, '', null],
  [{ name: { $containsi: 'e' }, age: { $gte: 0 } }, 'name', null],
  [{ name: { $containsi: 'xy' } }, '', null],
  [{ nick: { $containsi: 'xyz' } }, '', null],
  [{ rank: 3 }, '', null],
  [{}, 'rank', null],
  [{}, 'boss.name', 'boss.name ("index": true)'],
  [{}, 'boss.rank', null],
  [{}, 'boss.boss.name', null],
  [{ home: { town: 'x' } }, '', 'home.town ("index": true)'],
  [{ home: { town: { $contains: 'xyz' } } }, '', null],
  [{ home: { id: 3 } }, '', null],
  [{ $or: [{ name: 'x' }, { name: { $ne: 'y' } }] }, '', null],
  [{ $or: [{ name: { $contains: '400' } }, { rank: { $contains: '400' } }, { id: { $contains: '400' } }] }, '', null], // as `_q=400`
  [{ name: 'x', nick: { $ne: 'y' } }, '', 'name ("index": true)'],
  [{ $or: [{ name: { $contains: 'xyz' } }, { team: { name: 'x' } }] }, '', 'name ("search": "trigram")'],
];

/** The row rule of callers who may not read `name`, and what their queries need. */
const ruled: readonly (readonly [rule: object, filter: object, needs: string | null])[] = [
  [{ name: 'x' }, {}, null],
  [{ name: 'x' }, { home: { town: 'x' } }, 'home.town ("index": true)'],
  [{ boss: { name: 'x' } }, {}, null],
  [{ name: 'x' }, { boss: { home: { town: 'x' } } }, 'boss.home.town ("index": true)'],
];

describe('an exceeded time limit', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    const rows = Array.from({ length: 40_000 }, (_, index) => ({ _id: index, name: `somebody ${String(index)}`, age: 1 }));
    await database.db.collection<{ _id: number }>('persons').insertMany(rows);
    await database.db.collection('persons').createIndex({ age: 1 }); // an operator's own
  });
  after(() => database.drop());

  /** Returns the error of a list that hits its time limit. */
  const fail = async (filter: object, sort: string, access: Access = fullAccess): Promise<ApiError> => {
    const { store, bind, ...context } = contextOf(database, registry);
    const limited = { ...store, database: { ...store.database, maxTimeMS: { read: 1, write: 1 } } };
    const query = { ...emptyQuery, filter: parseFilters(filter, defaultLimits), sort: parseSort(sort, defaultLimits) };
    const find = () =>
      findMany(typeOf('api::person.person', registry), query, { ...context, bind: { ...bind, access }, store: limited }).catch(
        (error: unknown) => error,
      );
    let failure = await find();
    // the server's clock may be late
    for (let attempt = 0; !(failure instanceof ApiError) && attempt < 100; attempt++) failure = await find();
    if (!(failure instanceof ApiError)) throw new Error(`no error: ${String(failure)}`);
    return failure;
  };

  const answerOf = (needs: string | null): string => (needs === null ? '503' : `400, ${needs}`);

  for (const [filter, sort, needs] of cases)
    it(`${JSON.stringify(filter)} ${sort}: ${answerOf(needs)}`, async () => {
      const { status, message } = await fail(filter, sort);
      expect(status, message).to.equal(needs === null ? 503 : 400);
      if (needs !== null) expect(message).to.contain(`no index leads to ${needs}`);
    });

  for (const [rule, filter, needs] of ruled)
    it(`${JSON.stringify(filter)} with the row rule ${JSON.stringify(rule)}: ${answerOf(needs)}`, async () => {
      const parsed = parseFilters(rule, defaultLimits);
      if (parsed === null) throw new Error('no rule');
      const rules = new Map([['api::person.person', { filter: parsed, owner: {}, isOwnership: false }]]);
      const hidden = new Map([['api::person.person', new Set(['name'])]]);
      const { status, message } = await fail(filter, '', { ...fullAccess, rules, hidden });
      expect(status, message).to.equal(needs === null ? 503 : 400);
      expect(message).not.to.contain('name');
      if (needs !== null) expect(message).to.contain(`no index leads to ${needs}`);
    });
});
