import { expect } from 'chai';
import { Decimal128, Double, Long } from 'mongodb';
import { operators } from '#model/query/operators.js';
import { isScalarType } from '#model/schema/scalar-types.js';
import { noon, stored } from './stored-values.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const types = ['string', 'enumeration', 'uid', 'integer', 'biginteger', 'float', 'boolean', 'date', 'time'].concat([
  'datetime',
  'timestamp',
  'json',
  'blocks',
]);

const attributes = Object.fromEntries(types.map((type) => [type, { type, ...(type === 'enumeration' && { enum: ['a', 'b'] }) }]));
const link = (relation: string, target: string, more: object = {}) => ({ type: 'relation', relation, target, ...more });
const model = (name: string, more: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: more,
});
const models: readonly TestModel[] = [
  { uid: 'odd.part', info: { displayName: 'Part' }, attributes },
  model('odd', {
    ...attributes,
    one: { type: 'component', component: 'odd.part' },
    list: { type: 'component', component: 'odd.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['odd.part'] },
    holder: link('manyToOne', 'api::holder.holder', { inversedBy: 'odds' }),
  }),
  model('holder', {
    odds: link('oneToMany', 'api::odd.odd', { mappedBy: 'holder' }),
    first: link('oneToOne', 'api::odd.odd'),
    several: link('manyToMany', 'api::odd.odd'),
  }),
];

const rows = stored.map(({ value, ...row }, index) => {
  const values = Object.fromEntries(types.map((type) => [type, value]));
  const id = index + 1;
  const part = { id, ...values };
  const entry = {
    _id: id,
    ...values,
    one: part,
    list: [part],
    zone: [{ __component: 'odd.part', ...part }],
    holder: 1 + (id % 3),
  };
  return { id, entry, value, ...row };
});
const holders = rows.map(({ id }) => ({ _id: id, first: id, several: [id, (id % rows.length) + 1] }));

const instants = { datetime: noon, timestamp: noon };
const operands: Readonly<Record<string, string>> = { date: '2024-02-29', time: '12:00:00', boolean: 'true', ...instants };

/** The operators of a type, with an operand that it accepts. Shapes are for points alone. */
const filtersOf = (type: string): readonly (readonly [operator: string, filter: string])[] =>
  Object.entries(operators)
    .filter(([, { arity }]) => arity !== 'shape')
    .filter(([, { text: compares }]) => compares !== 'sensitive' || !['boolean', ...Object.keys(instants)].includes(type))
    .map(([operator, { arity }]) => {
      const operand = operands[type] ?? '12';
      const values = arity === 'pair' ? [operand, operand] : [operand];
      return [operator, values.map((value, index) => `[${type}][$${operator}][${String(index)}]=${value}`).join('&filters')];
    });

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || value instanceof Double || value instanceof Decimal128 || value instanceof Long;

/** Whether a value that reads as null is compared all the same: lists by their elements, and all JSON, numbers and texts as such. */
const isCompared = (type: string, value: unknown): boolean =>
  Array.isArray(value) ||
  ['json', 'blocks'].includes(type) ||
  (['date', 'time'].includes(type) && typeof value === 'string') ||
  (['integer', 'biginteger', 'float'].includes(type) && isNumber(value));

const links = ['first', 'several', 'odds'];
const orders = ['asc', 'desc'];
const everything = 'pagination[pageSize]=100';

/** Queries that sort by an attribute, with the number of entries on the page. */
const sortsOf = (type: string): readonly (readonly [query: string, count: number])[] =>
  orders
    .flatMap((order) => [type, `one.${type}`, `list.${type}`].map((path) => `${path}:${order}`))
    .flatMap((key) => [`sort=${key}`, `sort[0]=${key}&sort[1]=string:desc&sort[2]=one.string`])
    .flatMap((sort) => [
      [`${sort}&${everything}`, rows.length],
      [`${sort}&pagination[start]=20&pagination[limit]=5`, 5],
    ]);

const linkedOf = (type: string): readonly string[] =>
  links.flatMap((name) => [
    ...orders.map((order) => `sort=${name}.${type}:${order}&sort[1]=first.string`),
    ...orders.map((order) => `populate[${name}][sort][0]=${type}:${order}&populate[${name}][sort][1]=string`),
    ...filtersOf(type).map(([, filter]) => `filters[${name}]${filter.replaceAll('filters', `filters[${name}]`)}`),
  ]);

describe('stored values that do not fit their attributes', () => {
  let serving: Serving;
  before(async () => {
    expect(types.every(isScalarType)).to.equal(true);
    serving = await serveModels({ models, documents: { odds: rows.map(({ entry }) => entry), holders } });
  });
  after(() => serving.stop());

  const ask = async (path: string): Promise<readonly { readonly id: number; readonly attributes: Record<string, unknown> }[]> => {
    const { status, body } = await serving.call('GET', path);
    expect(status, `${path}: ${JSON.stringify(body)}`).to.equal(200);
    return body.data as never; // the form of every list
  };
  it('read as null, or as the number that they are', async () => {
    const found = await ask(`/api/odds?populate=*&${everything}`);
    const query = `{ odds(pagination: { limit: 100 }) { data { attributes { ${types.join(' ')} list { ${types.join(' ')} } } } } }`;
    const { body } = await serving.call('POST', '/graphql', { query });
    expect(body.errors).to.equal(undefined);
    for (const [index, { what, reads }] of rows.entries()) {
      const shown = Object.fromEntries(types.map((type) => [type, reads[type] ?? null]));
      const values = found[index]?.attributes ?? {};
      for (const place of [values, values['one'], ...(values['list'] as object[]), ...(values['zone'] as object[])])
        expect(place, what).to.deep.include(shown);
      const { list, ...own } = body.data.odds.data[index].attributes;
      const inGraphql = graphqlForm(shown);
      expect([own, ...list], what).to.deep.equal([inGraphql, inGraphql]);
    }
  });

  const graphqlForm = (shown: Readonly<Record<string, unknown>>): object => ({
    ...shown,
    enumeration: null,
    biginteger:
      shown['biginteger'] === '9007199254740993' ? shown['biginteger'] : shown['biginteger'] && Number(shown['biginteger']),
    time: shown['time'] && '12:00:00.000',
    timestamp: shown['timestamp'] && noon,
  });

  for (const type of types)
    it(`meet no condition on ${type}, in the database and in memory`, async () => {
      for (const [operator, filter] of filtersOf(type)) {
        const found = (await ask(`/api/odds?filters${filter}&fields=id&${everything}`)).map(({ id }) => id);
        const inList = await ask(
          `/api/odds?filters[list]${filter.replaceAll('filters', 'filters[list]')}&fields=id&${everything}`,
        );
        const inMemory = `populate[list][filters]${filter.replaceAll('filters', 'populate[list][filters]')}`;
        const parts = (await ask(`/api/odds?${inMemory}&fields=id&${everything}`)).filter(
          ({ attributes: { list } }) => (list as unknown[]).length > 0,
        );
        expect(
          inList.map(({ id }) => id),
          `${operator} in lists`,
        ).to.deep.equal(found);
        expect(
          parts.map(({ id }) => id),
          `${operator} in memory`,
        ).to.deep.equal(found);
        if (operator === 'null' || operator === 'notNull') continue;
        const unfit = rows.filter(({ id, reads, value }) => found.includes(id) && !(type in reads) && !isCompared(type, value));
        expect(
          unfit.map(({ what }) => what),
          operator,
        ).to.deep.equal([]);
      }
    });

  for (const type of types)
    it(`do not end a sort by ${type}, or a list of linked entries`, async () => {
      for (const [query, count] of sortsOf(type)) expect((await ask(`/api/odds?${query}`)).length, query).to.equal(count);
      for (const query of linkedOf(type)) await ask(`/api/holders?${query}`);
    });

  it('do not end a search', async () => {
    for (const word of ['12', '1.5', 'a', 'NaN', '12b']) await ask(`/api/odds?_q=${word}`);
  });

  it('do not end a list if they are dates that JavaScript does not have, or have no text', async () => {
    const odds = serving.database.db.collection<{ _id: number }>('odds');
    for (const time of ['9000000000000000', '253402300800000', '-62198755200000']) {
      const at = { $toDate: Long.fromString(time) };
      await odds.updateOne({ _id: 1 }, [{ $set: { datetime: at, timestamp: at, json: { at } } }]);
      const asked = ['datetime', 'timestamp', 'json'].flatMap((name) =>
        ['containsi', 'notContainsi', 'gt'].map((key) => [name, key]),
      );
      for (const [name = '', key = ''] of asked.filter(([type, operator]) => type !== 'json' || operator !== 'gt'))
        await ask(`/api/odds?filters[${name}][$${key}]=${key === 'gt' ? noon : '2024'}`);
      await ask('/api/odds?sort=datetime');
    }
  });

  it('are repaired by an update', async () => {
    for (const { id, what } of rows) {
      const part = { string: 'a', integer: 1 };
      const data = { ...part, uid: `u-${String(id)}`, one: part, list: [part], zone: [{ __component: 'odd.part', ...part }] };
      const { status, body } = await serving.call('PUT', `/api/odds/${String(id)}?populate=*`, { data });
      expect(status, `${what}: ${JSON.stringify(body)}`).to.equal(200);
      expect(body.data.attributes, what).to.deep.include(part);
      expect(body.data.attributes.list[0], what).to.deep.include(part);
    }
  });
});
