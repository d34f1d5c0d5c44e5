import { expect } from 'chai';
import { compileCondition } from '#store/read/compile-condition.js';
import { bindFilter } from '#model/query/bind-filter.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import { parseFilters } from '#model/query/parse-filter.js';
import type { Condition } from '#model/query/plan.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Values } from '#base/values.js';
import { collectionType } from '../../support/collection-type.js';
import { defaultLimits } from '../../support/default-limits.js';
import { explain } from '../../support/explain.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { bindContext, insertDocuments } from '../../support/things.js';

const component = (name: string): object => ({ type: 'component', component: 'box.part', repeatable: name === 'parts' });
const { registry } = buildRegistry([
  {
    uid: 'box.part',
    collectionName: 'components_box_parts',
    info: { displayName: 'Part' },
    attributes: { meta: { type: 'json' } },
  },
  collectionType('box', { meta: { type: 'json' }, main: component('main'), parts: component('parts') }),
]);

const at = '2024-01-01T10:00:00.000Z';
const values: Readonly<Record<string, unknown>> = {
  red: 'red',
  reds: ['red'],
  several: ['red', 'blue'],
  deep: [['red']],
  object: { color: 'red' },
  five: 5,
  fives: [5],
  range: [3, 10],
  yes: true,
  yeses: [true],
  nulls: [null],
  empty: [],
  at,
  ats: [at],
  none: null,
};
const names = Object.keys(values);
const allBut = (...left: readonly string[]): string[] => names.filter((name) => name !== 'none' && !left.includes(name));

/** Filters of an attribute, as code writes them, and the values that they find. */
const cases: readonly (readonly [filter: unknown, found: readonly string[]])[] = [
  ['red', ['red']],
  [
    ['red', 5],
    ['red', 'five'],
  ],
  [{ $eq: 'red' }, ['red']],
  [{ $eq: ['red', 'blue'] }, ['red']],
  [{ $eq: 5 }, ['five']],
  [{ $eq: '5' }, []],
  [{ $eq: true }, ['yes']],
  [{ $eq: new Date(at) }, ['at']],
  [{ $ne: 'red' }, allBut('red')],
  [{ $ne: 5 }, allBut('five')],
  [{ $not: 'red' }, allBut('red')],
  [{ $not: { $not: { $eq: 'red' } } }, ['red']],
  [{ $in: ['red', 'blue', 3, 10, true] }, ['red', 'yes']],
  [{ $notIn: ['red', 'blue', 3, 10, true] }, allBut('red', 'yes')],
  [{ $notIn: ['red', null] }, []],
  [{ $gt: 4 }, ['five']],
  [{ $gt: 5, $lt: 8 }, []],
  [{ $gte: 5, $lte: 8 }, ['five']],
  [{ $lt: 'z' }, ['red', 'at']],
  [{ $not: { $gt: 4 } }, allBut('five')],
  [{ $between: [4, 8] }, ['five']],
  [{ $not: { $between: [4, 8] } }, allBut('five')],
  [{ $null: true }, ['none']],
  [{ $notNull: true }, allBut()],
  [{ $eq: null }, ['none']],
  [{ $contains: 'red' }, ['red', 'reds', 'several', 'deep', 'object']],
  [{ $startsWith: '["red' }, ['reds', 'several']],
  [{ $eqi: '"RED"' }, ['red']],
  [{ $nei: '"RED"' }, allBut('red')],
];

/** Where the attribute is, and the document that has a value there. */
const places: Readonly<Record<string, readonly [filter: (inner: unknown) => object, holder: (value: unknown) => Values]>> = {
  'an entry': [(inner) => ({ meta: inner }), (meta) => ({ meta })],
  'a component': [(inner) => ({ main: { meta: inner } }), (meta) => ({ main: { id: 1, meta } })],
  'a list of components': [(inner) => ({ parts: { meta: inner } }), (meta) => ({ parts: [{ id: 1, meta }] })],
};

function conditionOf(filters: object): Condition {
  const filter = parseFilters(filters, defaultLimits);
  const type = registry.types.get('api::box.box');
  if (filter === null || type === undefined) throw new Error('no filter');
  return bindFilter(filter, type, { ...bindContext, registry });
}

/** Operators of texts on the parts of a list are resolved to ids first, which is tested over REST. */
const isCompiled = (place: string, filter: unknown): boolean =>
  place !== 'a list of components' || !/contains|starts|eqi|nei/.test(JSON.stringify(filter));

describe('filters on JSON', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    const all = Object.values(places).flatMap(([, holder], place) =>
      names.map((name) => ({ _id: `${String(place)} ${name}`, place, name, ...holder(values[name]) })),
    );
    await insertDocuments(database, { boxs: all });
    await database.db.collection('boxs').createIndex({ meta: 1 });
  });
  after(() => database.drop());

  for (const [index, [place, [nest]]] of Object.entries(places).entries())
    for (const [filter, found] of cases.filter(([given]) => isCompiled(place, given)))
      it(`${JSON.stringify(filter)} compares the whole value in ${place}, in the database and in memory`, async () => {
        const condition = conditionOf(nest(filter));
        const boxes = database.db.collection('boxs');
        const rows = await boxes.find({ $and: [{ place: index }, compileCondition(condition, new Map())] }).toArray();
        expect(rows.map(({ name }) => name as string)).to.have.members(found);
        const held = await boxes.find({ place: index }).toArray();
        expect(held.filter((row) => meetsCondition(condition, row)).map(({ name }) => name as string)).to.have.members(found);
      });

  for (const filter of [{ $eq: 'red' }, { $in: ['red', 5] }, { $gt: 4 }, { $between: [4, 8] }])
    it(`${JSON.stringify(filter)} is found by an index`, async () => {
      const match = compileCondition(conditionOf({ meta: filter }), new Map());
      expect((await explain(database.db, { find: 'boxs', filter: match })).index).to.equal('meta_1');
    });
});
