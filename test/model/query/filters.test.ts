import { expect } from 'chai';
import { findMany } from '#content/find-many.js';
import { rowRule } from '#content/rights/role-access.js';
import { translateFilters } from '#api/graphql/selection/translate-filters.js';
import { compileCondition } from '#store/read/compile-condition.js';
import { emptyQuery } from '#model/query/ast.js';
import { bindFilter } from '#model/query/bind-filter.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { isRecord, type Values } from '#base/values.js';
import { defaultLimits } from '../../support/default-limits.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { always } from '#model/query/conditions.js';
import type { Condition } from '#model/query/plan.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { bindContext, contextOf, insertDocuments, thingDocuments, thingRegistry, typeOf } from '../../support/things.js';

const thing = typeOf('api::thing.thing');

/** Filters as the query string decodes to, and the ids that they leave of five things. */
const cases: readonly (readonly [object, readonly number[]])[] = [
  // each operator; thing 4 has null everywhere
  [{ name: { $eq: 'Alpha' } }, [1]],
  [{ name: { $eqi: 'ALPHA' } }, [1, 2]],
  [{ name: { $eqi: 'A.B*C(é)' } }, [5]],
  [{ name: { $ne: 'Alpha' } }, [2, 3, 5]],
  [{ name: { $nei: 'ALPHA' } }, [3, 5]],
  [{ count: { $lt: '2' } }, [1]],
  [{ count: { $lte: '2' } }, [1, 2]],
  [{ count: { $gt: '2' } }, [3, 5]],
  [{ count: { $gte: '2' } }, [2, 3, 5]],
  [{ name: { $gt: 'Beta' } }, [2, 5]],
  [{ count: { $in: ['1', '3', '99'] } }, [1, 3]],
  [{ count: { $notIn: ['1', '3'] } }, [2, 5]],
  [{ name: { $contains: 'lph' } }, [1, 2]],
  [{ name: { $contains: 'Al' } }, [1]],
  [{ name: { $containsi: 'AL' } }, [1, 2]],
  [{ name: { $notContains: 'Al' } }, [2, 3, 5]],
  [{ name: { $notContainsi: 'AL' } }, [3, 5]],
  [{ name: { $startsWith: 'a' } }, [2, 5]],
  [{ name: { $startsWithi: 'a' } }, [1, 2, 5]],
  [{ name: { $endsWith: 'A' } }, []],
  [{ name: { $endsWith: 'a' } }, [1, 2, 3]],
  [{ name: { $endsWithi: 'A' } }, [1, 2, 3]],
  [{ name: { $null: 'true' } }, [4]],
  [{ name: { $null: 'false' } }, [1, 2, 3, 5]],
  [{ name: { $notNull: 'true' } }, [1, 2, 3, 5]],
  [{ name: { $notNull: 'false' } }, [4]],
  [{ count: { $between: ['2', '3'] } }, [2, 3]],
  [{ day: { $between: ['2024-01-15', '2024-02-15'] } }, [2]],
  // text operands are literal
  [{ name: { $contains: '.b*c(' } }, [5]],
  [{ name: { $startsWith: 'a.' } }, [5]],
  [{ name: { $contains: 'a+' } }, []],
  [{ name: { $eqi: '.*' } }, []],
  [{ note: { $endsWith: 'line' } }, [1]],
  [{ note: { $endsWith: 'line\n' } }, [5]],
  [{ note: { $startsWith: 'line' } }, [5]],
  [{ note: { $contains: '' } }, [1, 5]],
  // denial
  [{ name: { $not: { $eq: 'Alpha' } } }, [2, 3, 5]],
  [{ count: { $not: { $gt: '2' } } }, [1, 2]],
  [{ count: { $not: { $between: ['2', '3'] } } }, [1, 5]],
  [{ name: { $not: { $contains: 'l' } } }, [3, 5]],
  [{ name: { $not: { $not: { $eq: 'Alpha' } } } }, [1]],
  [{ name: { $not: { $null: 'true' } } }, [1, 2, 3, 5]],
  [{ count: { $not: { $gt: '1', $lt: '5' } } }, [1, 5]],
  [{ $not: { count: { $eq: '2' } } }, [1, 3, 5]],
  [{ $not: { count: { $ne: '2' } } }, [2]],
  [{ $not: { name: { $eq: 'Alpha' }, count: { $eq: '1' } } }, [2, 3, 5]],
  [{ $not: { $or: [{ count: { $eq: '1' } }, { count: { $eq: '2' } }] } }, [3, 5]],
  // groups
  [{ $or: [{ count: { $eq: '1' } }, { name: { $eq: 'Beta' } }] }, [1, 3]],
  [{ $and: [{ count: { $gt: '1' } }, { count: { $lt: '5' } }] }, [2, 3]],
  [{ $or: [{ $and: [{ kind: { $eq: 'a' } }, { count: { $gt: '5' } }] }, { $not: { count: { $gt: '1' } } }] }, [1, 5]],
  [{ count: { $gt: '1' }, name: { $contains: 'a' } }, [2, 3, 5]],
  [{ count: { $or: [{ $eq: '1' }, { $eq: '3' }] } }, [1, 3]],
  // a list for an operator of one value: for some of them
  [{ count: { $gt: ['4', '2'] } }, [3, 5]],
  [{ name: { $contains: ['Alp', 'Bet'] } }, [1, 3]],
  [{ count: { $ne: ['1', '2'] } }, [1, 2, 3, 5]],
  // nulls
  [{ count: { $eq: null } }, [4]],
  [{ count: { $ne: null } }, [1, 2, 3, 5]],
  [{ count: { $gt: null } }, []],
  // to an operator that looks into text, null is the text "null"
  [{ name: { $contains: null } }, []],
  [{ name: { $notContains: null } }, [1, 2, 3, 5]],
  [{ name: { $notContainsi: null } }, [1, 2, 3, 5]],
  [{ $not: { name: { $startsWith: null } } }, [1, 2, 3, 5]],
  [{ data: { $contains: null } }, [2]],
  [{ name: { $nei: null } }, [1, 2, 3, 5]],
  [{ count: { $in: ['1', null] } }, [1]],
  [{ count: { $notIn: ['1', null] } }, []],
  [{ count: { $in: [] } }, []],
  [{ count: { $notIn: [] } }, [1, 2, 3, 4, 5]],
  // casting
  [{ price: { $eq: '1.5' } }, [1]],
  [{ price: { $lt: '0' } }, [3]],
  [{ big: { $eq: '9007199254740993' } }, [1]],
  [{ big: { $eq: '9007199254740992' } }, []],
  [{ active: { $eq: 'true' } }, [1, 5]],
  [{ active: { $eq: 'f' } }, [2]],
  [{ active: { $ne: '1' } }, [2]],
  [{ day: { $eq: '2024-02-01T23:00:00.000Z' } }, [2]],
  [{ hour: { $gte: '08:30:00' } }, [2]],
  [{ at: { $eq: '2024-02-01T11:00:00+01:00' } }, [2]],
  [{ at: { $gt: '2024-02-01' } }, [2, 3]],
  [{ stamp: { $eq: String(Date.UTC(2024, 0, 1, 10)) } }, [1]],
  [{ kind: { $in: ['a'] } }, [1, 5]],
  [{ id: { $in: ['2', '3'] } }, [2, 3]],
  [{ id: { $notIn: ['2', '3'] } }, [1, 4, 5]],
  [{ count: { $contains: '1' } }, [1, 5]],
  [{ count: { $notContains: '1' } }, [2, 3]],
  [{ at: { $containsi: '2024-02' } }, [2]],
  [{ at: { $eqi: '2024-03-01t10:00:00.000z' } }, [3]],
  [{ active: { $eqi: 'TRUE' } }, [1, 5]],
  [{ price: { $contains: '.5' } }, [1]],
  [{ price: { $startsWith: '-' } }, [3]],
  [{ big: { $endsWith: '993' } }, [1]],
  // JSON is compared as its text
  [{ data: { $contains: 'k' } }, [1]],
  [{ data: { $contains: '"k":"v"' } }, [1]],
  [{ data: { $contains: 'K' } }, []],
  [{ data: { $containsi: 'TWO' } }, [2]],
  [{ data: { $contains: '\\"quoted' } }, [3]],
  [{ data: { $contains: '[true,1.5,"é\\n"]' } }, [5]],
  [{ data: { $notContains: 'k' } }, [2, 3, 5]],
  [{ data: { $not: { $contains: 'k' } } }, [2, 3, 5]],
  [{ data: { $notContainsi: 'T' } }, [1]],
  [{ data: { $startsWith: '{' } }, [1, 5]],
  [{ data: { $startsWithi: '"text' } }, [3]],
  [{ data: { $endsWith: ',null]' } }, [2]],
  [{ data: { $eqi: '{"K":"V"}' } }, [1]],
  [{ data: { $nei: '{"K":"V"}' } }, [2, 3, 5]],
  [{ data: { $null: 'true' } }, [4]],
  // a value of JSON is compared as a whole: a list is not its elements
  [{ data: { $eq: 'Two' } }, []],
  [{ data: { $ne: 'Two' } }, [1, 2, 3, 5]],
  [{ data: { $in: ['Two', 'other'] } }, []],
  [{ data: { $notIn: ['Two', 'other'] } }, [1, 2, 3, 5]],
  [{ data: { $gt: 'A' } }, [3]],
  [{ data: { $not: { $gt: 'A' } } }, [1, 2, 5]],
  [{ data: { $between: ['Tw', 'Tz'] } }, []],
  [{ data: { $not: { $between: ['Tw', 'Tz'] } } }, [1, 2, 3, 5]],
  // related entries: some of them
  [{ owner: { id: { $eq: '1' } } }, [1, 4]],
  [{ owner: { name: { $eq: 'Ada' } } }, [1, 4]],
  [{ owner: { name: { $ne: 'Ada' } } }, [2]],
  [{ owner: { age: { $null: 'true' } } }, [2, 3, 5]],
  [{ owner: { id: { $null: 'true' } } }, [3, 5]],
  [{ owner: { id: { $notNull: 'true' } } }, [1, 2, 4]],
  [{ owner: { boss: { name: { $eq: 'Ada' } } } }, [2]],
  [{ owner: { things: { count: { $eq: '1' } } } }, [1, 4]],
  [{ owner: { things: { tags: { name: { $eq: 'draft' } } } } }, [1, 4]],
  [{ tags: { name: { $eq: 'blue' } } }, [1, 2]],
  [{ tags: { name: { $ne: 'blue' } } }, [1, 3, 4]],
  [{ tags: { name: { $eq: 'draft' } } }, [4]],
  [{ tags: { publishedAt: { $null: 'true' } } }, [4, 5]],
  [{ tags: { id: { $null: 'true' } } }, [5]],
  [{ tags: { id: { $notNull: 'true' } } }, [1, 2, 3, 4]],
  [{ tags: { name: { $eq: 'red' }, id: { $eq: '2' } } }, []],
  [{ $and: [{ tags: { id: { $eq: '1' } } }, { tags: { id: { $eq: '2' } } }] }, [1]],
  [{ $not: { tags: { name: { $eq: 'red' } } } }, [1, 2, 4]],
  [{ $not: { owner: { name: { $eq: 'Ada' } } } }, [2]],
  [{ tags: { $or: [{ name: { $eq: 'red' } }, { name: { $eq: 'draft' } }] } }, [1, 3, 4]],
  [{ $or: [{ owner: { name: { $eq: 'Bob' } } }, { count: { $eq: '3' } }] }, [2, 3]],
  // components
  [{ main: { label: { $eq: 'main' } } }, [1]],
  [{ main: { size: { $gt: '1' } } }, [2]],
  [{ main: { label: { $null: 'true' } } }, [2, 3, 4, 5]],
  [{ main: { id: { $null: 'true' } } }, [3, 4, 5]],
  [{ main: { maker: { name: { $eq: 'Ada' } } } }, [1]],
  [{ parts: { label: { $eq: 'x' } } }, [1, 2]],
  [{ parts: { label: { $eq: 'x' }, size: { $gt: '1' } } }, [2]],
  [{ $and: [{ parts: { label: { $eq: 'x' } } }, { parts: { size: { $gt: '1' } } }] }, [1, 2]],
  [{ parts: { label: { $ne: 'x' } } }, [1]],
  [{ parts: { maker: { name: { $eq: 'Bob' } } } }, [1]],
  [{ parts: { id: { $null: 'true' } } }, [3, 4, 5]],
  [{ $not: { parts: { label: { $eq: 'x' } } } }, [1]],
  // text of numbers in components, one and several
  [{ main: { size: { $contains: '2' } } }, [2]],
  [{ parts: { size: { $eqi: '1' } } }, [1]],
  [{ parts: { size: { $contains: '2' } } }, [1]],
  [{ parts: { size: { $nei: '1' } } }, [1, 2]],
  [{ parts: { size: { $notContains: '5' } } }, [1]],
  [{ parts: { id: { $endsWith: '5' } } }, [2]],
  [{ parts: { size: { $contains: '1' }, label: { $eq: 'x' } } }, [1]],
  [{ parts: { size: { $contains: '1' }, label: { $eq: 'y' } } }, []],
  [{ parts: { size: { $contains: '2' }, maker: { name: { $eq: 'Bob' } } } }, [1]],
  [{ parts: { $or: [{ size: { $startsWith: '5' } }, { label: { $eq: 'y' } }] } }, [1, 2]],
  [{ parts: { $or: [{ size: { $eqi: '5' } }, { label: { $null: 'true' } }] } }, [2, 3, 4, 5]],
  [{ $not: { parts: { size: { $eqi: '1' } } } }, [1, 2]],
  [{ $and: [{ parts: { size: { $eqi: '1' } } }, { parts: { size: { $eqi: '2' } } }] }, [1]],
  [{ owner: { things: { parts: { size: { $contains: '1' } } } } }, [1, 4]],
];

/** Spellings that only REST has; GraphQL's types rule them out. */
const restOnly: readonly (readonly [object, readonly number[]])[] = [
  [{}, [1, 2, 3, 4, 5]],
  [{ name: 'Alpha' }, [1]],
  [{ name: null }, [4]],
  [{ name: ['Alpha', 'Beta'] }, [1, 3]],
  [{ id: '3' }, [3]],
  [{ owner: '1' }, [1, 4]],
  [{ owner: ['1', '2'] }, [1, 2, 4]],
  [{ owner: { $eq: '1' } }, [1, 4]],
  [{ owner: { $ne: '1' } }, [2]],
  [{ owner: { $null: 'true' } }, [3, 5]],
  [{ owner: { $notNull: 'true' } }, [1, 2, 4]],
  [{ tags: { $in: ['1', '3'] } }, [1, 3, 4]],
  [{ tags: { $null: 'true' } }, [5]],
  [{ count: { $in: '3' } }, [3]],
  [{ count: { $null: { any: 'thing' } } }, [4]],
  [{ count: { $null: ['false'] } }, [4]],
  [{ count: { $notNull: [null] } }, [1, 2, 3, 5]],
  [{ name: { $not: 'Alpha' } }, [2, 3, 5]],
];

/** The GraphQL spelling: the same without dollar signs. */
function withoutDollars(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDollars);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.replace('$', ''), withoutDollars(inner)]));
}

/** Whether a condition needs more than the entry. */
const leadsAway = (condition: Condition): boolean =>
  condition.kind === 'related' ||
  ('conditions' in condition && condition.conditions.some(leadsAway)) ||
  (condition.kind === 'element' && leadsAway(condition.condition));

describe('filters', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await insertDocuments(database, thingDocuments);
  });
  after(() => database.drop());

  for (const [filters, ids] of [...cases, ...restOnly])
    it(`${JSON.stringify(filters)} finds ${JSON.stringify(ids)}`, async () => {
      const filter = parseFilters(filters, defaultLimits);
      const page = await findMany(thing, { ...emptyQuery, filter }, contextOf(database));
      expect(page.entries.map(({ document }) => document['_id'])).to.deep.equal(ids);
      expect(page.total).to.equal(ids.length);
    });

  for (const [filters, ids] of cases) {
    const filter = parseFilters(filters, defaultLimits);
    const condition = filter === null ? always : bindFilter(filter, thing, bindContext);
    if (!leadsAway(condition))
      it(`${JSON.stringify(filters)} finds the same in memory`, () => {
        const found = (thingDocuments['things'] ?? []).filter((document) => meetsCondition(condition, document as Values));
        expect(found.map((document) => (document as Values)['_id'])).to.deep.equal(ids);
      });
  }

  for (const [filters] of cases.filter(([given]) => !JSON.stringify(given).includes('"$or":[{"$eq"')))
    it(`${JSON.stringify(withoutDollars(filters))} means the same in GraphQL`, () => {
      const translated = translateFilters(withoutDollars(filters) as Record<string, unknown>, thing, thingRegistry);
      expect(parseFilters(translated, defaultLimits)).to.deep.equal(parseFilters(filters, defaultLimits));
    });
});

const extreme: { readonly uid: string } & Values = {
  uid: 'api::extreme.extreme',
  kind: 'collectionType',
  collectionName: 'extremes',
  info: { singularName: 'extreme', pluralName: 'extremes', displayName: 'Extreme' },
  attributes: { size: { type: 'float' }, whole: { type: 'biginteger' }, data: { type: 'json' } },
};
const nested = (levels: number, inner: unknown): unknown => (levels === 0 ? inner : { in: [nested(levels - 1, inner)] });
const extremes: readonly Values[] = [
  { size: 1.5e17, whole: 2n ** 62n, data: { n: 1e20, m: -0 } },
  { size: -1.5e-5, whole: -(2n ** 62n), data: [1e-5, 'a\u0001b'] },
  { size: -0, whole: 2n ** 53n + 1n, data: nested(5, 'core') },
  { size: 1e-7, whole: 12n, data: nested(6, 'core') },
  { size: 1e21, whole: 0n, data: nested(9, 'core') },
  { size: null, whole: null, data: null },
];
/** Filters, and how many of the extremes they find. */
const extremeCases: readonly (readonly [object, number])[] = [
  [{ size: { $eqi: '150000000000000000' } }, 1],
  [{ size: { $contains: '0.000015' } }, 1],
  [{ size: { $contains: 'e' } }, 2],
  [{ size: { $endsWith: 'e-7' } }, 1],
  [{ size: { $startsWith: '-' } }, 1],
  [{ size: { $notContains: '0' } }, 2],
  [{ size: { $eq: '0' } }, 1],
  [{ whole: { $eq: '4611686018427387904' } }, 1],
  [{ whole: { $in: ['9007199254740993', '12'] } }, 2],
  [{ whole: { $lt: '-4611686018427387903' } }, 1],
  [{ whole: { $between: ['12', '9007199254740993'] } }, 2],
  [{ whole: { $contains: '427387904' } }, 2],
  [{ whole: { $ne: '12' } }, 4],
  [{ data: { $contains: '100000000000000000000' } }, 1],
  [{ data: { $contains: '"m":0' } }, 1],
  [{ data: { $contains: '[0.00001,' } }, 1],
  [{ data: { $contains: '\u0001' } }, 1],
  [{ data: { $contains: 'core' } }, 1],
  [{ data: { $notContains: 'core' } }, 4],
  [{ data: { $contains: '[]' } }, 2],
];

describe('filters on very large, small and deep values', () => {
  const { registry } = buildRegistry([extreme]);
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await insertDocuments(database, { extremes: extremes.map((values, index) => ({ _id: index + 1, ...values })) });
  });
  after(() => database.drop());

  for (const [filters, count] of extremeCases)
    it(`${JSON.stringify(filters)} finds ${String(count)}, in the database and in memory`, async () => {
      const filter = parseFilters(filters, defaultLimits);
      const type = registry.types.get(extreme.uid);
      if (filter === null || type === undefined) throw new Error('no filter');
      const condition = bindFilter(filter, type, { ...bindContext, registry });
      const rows = database.db.collection<{ _id: number }>('extremes');
      const found = await rows.find(compileCondition(condition, new Map())).toArray();
      expect(found).to.have.length(count);
      const met = (await rows.find().toArray()).filter((document) => meetsCondition(condition, document));
      expect(met.map(({ _id }) => _id)).to.deep.equal(found.map(({ _id }) => _id));
    });
});

/** Refused filters, and their messages. */
const refused: readonly (readonly [unknown, string])[] = [
  ['abc', 'Invalid parameter filters'],
  [['abc'], 'Invalid parameter filters'],
  [{ bogus: '1' }, 'Invalid parameter bogus'],
  [{ __proto__x: '1' }, 'Invalid parameter __proto__x'],
  [{ constructor: '1' }, 'Invalid parameter constructor'],
  [{ toString: { $eq: '1' } }, 'Invalid parameter toString'],
  [{ $bogus: '1' }, 'Invalid parameter $bogus'],
  [{ $where: '1' }, 'Invalid parameter $where'],
  [{ $not: '1' }, 'Invalid parameter $not'],
  [{ $or: [{ $not: { $not: '1' } }] }, 'Invalid parameter $not'],
  [{ name: { $EQ: '1' } }, 'Invalid parameter $EQ'],
  [{ name: { $regex: '1' } }, 'Invalid parameter $regex'],
  [{ name: { eq: '1' } }, 'Invalid parameter eq'],
  [{ name: { $eq: { $gt: '' } } }, 'Invalid parameter $gt'],
  [{ name: { $in: [{ $gt: '' }] } }, 'Invalid parameter $in'],
  [{ $eq: '1' }, 'Invalid parameter $eq'],
  [{ $and: { name: '1' } }, 'Invalid parameter $and'],
  [{ $or: 'x' }, 'Invalid parameter $or'],
  [{ $or: ['x'] }, 'Invalid parameter $or'],
  [{ $not: ['x'] }, 'Invalid parameter $not'],
  [{ name: { label: 'x' } }, 'Invalid parameter label'],
  [{ secret: 'x' }, 'Invalid parameter secret'],
  [{ code: 'x' }, 'Invalid parameter code'],
  [{ createdBy: '1' }, 'Invalid parameter createdBy'],
  [{ photo: '1' }, 'Invalid parameter photo'],
  [{ zone: { label: 'x' } }, 'Invalid parameter zone'],
  [{ subject: '1' }, 'Invalid parameter subject'],
  [{ owner: { bogus: '1' } }, 'Invalid parameter bogus'],
  [{ owner: { things: { secret: '1' } } }, 'Invalid parameter secret'],
  [{ parts: { bogus: '1' } }, 'Invalid parameter bogus'],
  [{ $not: { $or: [{ main: { bogus: '1' } }] } }, 'Invalid parameter bogus'],
  [{ count: 'abc' }, 'Invalid value "abc" for count, expected a number'],
  [{ id: 'abc' }, 'Invalid value "abc" for id, expected a number'],
  [{ big: '1.5' }, 'Invalid value "1.5" for big, expected a 64-bit integer'],
  [{ big: '99999999999999999999' }, 'Invalid value "99999999999999999999" for big, expected a 64-bit integer'],
  [{ day: 'x' }, 'Invalid format, expected yyyy-MM-dd'],
  [{ day: '2024-02-31' }, 'Invalid date'],
  [{ hour: '12:00' }, 'Invalid time format, expected HH:mm:ss.SSS'],
  [{ at: 'x' }, 'Invalid format, expected a timestamp or an ISO date'],
  [{ count: { $between: ['1'] } }, 'Invalid parameter $between: expected two values'],
  [{ at: { $contains: 'x' } }, 'Invalid parameter $contains'],
  [{ active: { $startsWith: 'x' } }, 'Invalid parameter $startsWith'],
  [{ at: { $notContains: 'x' } }, 'Invalid parameter $notContains'],
  [{ name: 'a\0b' }, 'Invalid value for name, text may not hold the NUL character'],
  [{ name: { $contains: 'x'.repeat(8001) } }, 'Invalid value for name, expected text of at most 8000 characters without NUL'],
  [{ id: { $in: Array.from({ length: 1001 }, String) } }, 'Invalid parameter $in: more than 1000 values'],
  [
    { $or: Array.from({ length: 201 }, (_, index) => ({ count: String(index) })) },
    'Invalid parameter filters: more than 200 conditions',
  ],
];

describe('refused filters', () => {
  for (const [filters, message] of refused)
    it(`${JSON.stringify(filters).slice(0, 80)}: ${message}`, () => {
      expect(() => {
        const filter = parseFilters(filters, defaultLimits);
        if (filter !== null) bindFilter(filter, thing, bindContext);
      })
        .to.throw(message)
        .that.includes({ status: 400, name: 'ValidationError', message });
    });
});

/** Filters with as many conditions as they are asked for; their names and groups do not count. */
const counted: Readonly<Record<string, (conditions: number) => object>> = {
  'values under names': (count) => ({ $or: list(count, (n) => ({ count: n })) }),
  'operators under names': (count) => ({ $or: list(count, (n) => ({ count: { $eq: n } })) }),
  'operators in a group under a name': (count) => ({ count: { $or: list(count, (n) => ({ $eq: n })) } }),
  'ranges, each of two conditions': (count) => ({
    $or: [...list(Math.floor(count / 2), (n) => ({ count: { $gte: n, $lt: n } })), ...list(count % 2, (n) => ({ count: n }))],
  }),
  'groups in groups': (count) => ({ $and: list(count, (n) => ({ $or: [{ $not: { count: { $not: { $eq: n } } } }] })) }),
  'conditions on related entries': (count) => ({ $or: list(count, (n) => ({ owner: { boss: { age: { $eq: n } } } })) }),
  'conditions on components': (count) => ({ main: { $and: list(count, (n) => ({ size: { $ne: n } })) } }),
  'lists, each of one condition': (count) => ({ $or: list(count, () => ({ count: { $in: list(20, String) }, owner: {} })) }),
};

const list = <Item>(length: number, item: (index: number) => Item): Item[] => Array.from({ length }, (_, index) => item(index));

describe('conditions of a filter', () => {
  for (const [title, filterOf] of Object.entries(counted)) {
    it(`count once: ${title}`, () => {
      expect(parseFilters(filterOf(200), defaultLimits)).to.be.an('object');
      expect(() => parseFilters(filterOf(201), defaultLimits)).to.throw('Invalid parameter filters: more than 200 conditions');
      expect(rowRule(filterOf(200), null, defaultLimits).filter).to.be.an('object');
      expect(() => rowRule(filterOf(201), null, defaultLimits)).to.throw('more than 200 conditions');
    });

    if (title === 'operators in a group under a name') continue; // in GraphQL such a group contains values
    it(`count once in GraphQL: ${title}`, () => {
      const parse = (count: number) =>
        parseFilters(translateFilters(inGraphql(filterOf(count)), thing, thingRegistry), defaultLimits);
      expect(parse(200)).to.be.an('object');
      expect(() => parse(201)).to.throw('more than 200 conditions');
    });
  }
});

/** Returns a filter as GraphQL has it: operators without `$`, and no bare values. */
function inGraphql(filter: object): Values {
  const valueOf = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => (isRecord(item) ? inGraphql(item) : item));
    return isRecord(value) ? inGraphql(value) : value;
  };
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]: [string, unknown]) => [
      key.replace(/^\$/, ''),
      typeof value === 'number' && !key.startsWith('$') ? { eq: value } : valueOf(value),
    ]),
  );
}
