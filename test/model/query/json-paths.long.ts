import { expect } from 'chai';
import { bindFilter } from '#model/query/bind-filter.js';
import { knownFilters } from '#model/query/known-filters.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { jsonOptions } from '#model/schema/json-options.js';
import { bindContext } from '../../support/things.js';
import { defaultLimits } from '../../support/default-limits.js';
import type { Answer, TestModel } from '../../support/serve.js';
import { adminToken, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { roundsOf } from '../../support/rounds.js';
import { collectionType } from '../../support/collection-type.js';
import { type Filter, isFound, randomFilter, randomOf, randomValue } from './json-oracle.js';

const part = (meta: unknown, id: number): object => ({ id, meta });
const json = { type: 'json' };

const models: readonly TestModel[] = [
  { uid: 'of.part', info: { displayName: 'Part' }, options: { jsonFilters: true }, attributes: { meta: json } },
  { uid: 'of.plain', info: { displayName: 'Plain' }, attributes: { meta: json } },
  collectionType(
    'item',
    {
      data: json,
      hidden: json,
      secret: { ...json, private: true },
      title: { type: 'string' },
      main: { type: 'component', component: 'of.part' },
      parts: { type: 'component', component: 'of.part', repeatable: true },
      plain: { type: 'component', component: 'of.plain' },
      box: { type: 'relation', relation: 'manyToOne', target: 'api::box.box', inversedBy: 'items' },
    },
    { options: { jsonFilters: true, jsonIndexes: ['data.size.width', 'data.name', 'data.a', 'data.a.b'] } },
  ),
  collectionType('box', {
    data: json,
    items: { type: 'relation', relation: 'oneToMany', target: 'api::item.item', mappedBy: 'box' },
  }),
];

/** The values of `data`, by the id of the entry. */
const values: Readonly<Record<number, unknown>> = {
  1: { size: { width: 5 }, name: 'red', on: true },
  2: { size: { width: '5' }, name: 'Red', on: 'true' },
  3: { size: { width: 10 }, name: ['red'], on: false },
  4: { size: [{ width: 5 }, { width: 7 }], name: { en: 'red' } },
  5: { size: { width: null }, name: 'red and blue', colors: ['red', { deep: [[1, 2]] }] },
  6: { size: { width: [5] }, colors: [{ 0: 'red' }], 0: 'zero', ['__proto__x']: 1 },
  7: [{ size: { width: 5 } }],
  8: 'text',
  9: null,
  10: { 'a b': 1, "it's": 2, é: 3, constructor: 4, toString: 5, where: 6 },
};
const ids = Object.keys(values).map(Number);
const withWidth = [1, 2, 3, 6];

/** Filters of `data`, and the entries that they find. */
const answers: readonly (readonly [query: string, found: readonly number[]])[] = [
  ['[size.width][$eq]=5', [1, 2]],
  ['[size.width]=5', [1, 2]],
  ['[size.width][0]=5&filters[data][size.width][1]=10', [1, 2, 3]],
  ['[size.width][$eq]=5.0', [1]],
  ['[size.width][$eq]=05', []],
  ['[size.width][$ne]=5', [3, 6]],
  ['[size.width][$in][0]=5&filters[data][size.width][$in][1]=x', [1, 2]],
  ['[size.width][$notIn][0]=5', [3, 6]],
  ['[size.width][$gt]=4', [1, 2, 3]],
  ['[size.width][$gte]=10', [2, 3]],
  ['[size.width][$lt]=6', [1, 2]],
  ['[size.width][$lt]=x', [2]],
  ['[size.width][$not][$gt]=4', [6]],
  ['[size.width][$between][0]=6&filters[data][size.width][$between][1]=12', [3]],
  ['[size.width][$null]=true', [4, 5, 7, 8, 9, 10]],
  ['[size.width][$notNull]=true', withWidth],
  ['[$not][size.width][$eq]=5', [3, 6]],
  ['[$or][0][size.width]=10&filters[data][$or][1][on]=true', [1, 2, 3]],
  ['[size.0.width]=5', [4]],
  ['[size.1.width]=7', [4]],
  ['[size.2.width][$null]=true', ids],
  ['[size.width.0]=5', [6]],
  ['[0.size.width]=5', [7]],
  ['[colors.0]=red', [5]],
  ['[colors.0.0]=red', [6]],
  ['[colors.1.deep.0.1]=2', [5]],
  ['[colors.1.deep.1]=2', []],
  ['[colors.99999999999]=red', []],
  ['[on]=true', [1, 2]],
  ['[on]=false', [3]],
  ['[on][$gt]=false', [1, 2]],
  ['[name]=red', [1]],
  ['[name][$ne]=red', [2, 3, 4, 5]],
  ['[name][$eqi]=RED', [1, 2]],
  ['[name][$contains]=red', [1, 5]],
  ['[name][$containsi]=red', [1, 2, 5]],
  ['[name][$notContains]=red', [2, 3, 4]],
  ['[name][$startsWith]=red', [1, 5]],
  ['[name][$endsWith]=blue', [5]],
  ['[size.width][$contains]=5', [2]],
  ['[size.width][$notContains]=5', [1, 3, 6]],
  ['[name.en]=red', [4]],
  ['[name.length][$notNull]=true', []],
  ['[a b]=1', [10]],
  ["[it's]=2", [10]],
  ['[é]=3', [10]],
  ['[constructor]=4', [10]],
  ['[constructor.name][$notNull]=true', []],
  ['[toString]=5', [10]],
  ['[where]=6', [10]],
  ['[__proto__x]=1', [6]],
  ['[size.__proto__][$notNull]=true', []],
  ['[1.2.3.4.5.6.7.8]=1', []],
  // the whole value, as without the option
  ['[$eq]=text', [8]],
  ['[$null]=true', [9]],
];

/** Refused filters, and the names in the messages. */
const refused: readonly (readonly [query: string, name: string])[] = [
  ['data][$where]=1', '$where'],
  ['data][a.$where]=1', 'a.$where'],
  ['data][a.$b][$eq]=1', 'a.$b'],
  ['data][a$b]=1', 'a$b'],
  ['data][a..b]=1', 'a..b'],
  ['data][.a]=1', '.a'],
  ['data][a.]=1', 'a.'],
  ['data][.]=1', '.'],
  ['data][1.2.3.4.5.6.7.8.9]=1', '1.2.3.4.5.6.7.8.9'],
  [`data][${'a'.repeat(1_001)}]=1`, 'a'.repeat(1_001)],
  ['data][__proto__][a]=1', '__proto__'],
  ['data][__proto__]=1', '__proto__'],
  ['data][a%00b]=1', 'a\0b'],
  ['data][a][b]=1', 'b'],
  ['data][a][$none]=1', '$none'],
  ['data][a][$regex]=1', '$regex'],
  ['data][a][$expr]=1', '$expr'],
  ['data][a][$eq][$gt]=1', '$gt'],
  ['secret][a]=1', 'secret'],
  ['secret][a.$b]=1', 'secret'],
  ['title][a]=1', 'a'],
  ['data][0][$eq]=zero', '$in'],
  ['data][a][$within][box]=1,2,3,4', '$within'],
  ['plain][meta][a]=1', 'a'],
  ['box][data][a]=1', 'a'],
];

const numbersOf = ({ body }: Answer): readonly number[] => body.data.map(({ id }: { id: number }) => id);

describe('paths of JSON in memory', () => {
  const { registry } = buildRegistry(models, { ...defaultModelSettings, options: jsonOptions });

  it('equal a naive oracle on random values and filters', () => {
    const random = randomOf(59);
    const rounds = roundsOf(1_000, 3_000);
    const type = registry.types.get('api::item.item');
    if (type === undefined) throw new Error('no type');
    for (let round = 0; round < rounds; round++) {
      const filter = randomFilter(random);
      const { path, operator, operands, denied } = filter;
      const list = ['in', 'notIn', 'between'].includes(operator);
      const test = { [path]: { [`$${operator}`]: list ? operands : operands[0] } };
      const parsed = parseFilters({ data: denied ? { $not: test } : test }, defaultLimits);
      if (parsed === null) throw new Error('no filter');
      const condition = bindFilter(parsed, type, { ...bindContext, registry });
      const data = randomValue(random, 4);
      expect(meetsCondition(condition, { data }), JSON.stringify({ filter, data })).to.equal(isFound(filter, data));
    }
  });

  it('are kept in filters of code, from which unknown attributes are removed', () => {
    const filters = {
      data: { 'a.b': { $eq: 5 }, $not: { a: 1 } },
      main: { meta: { a: [1, 2] } },
      box: { data: { a: 1 } },
      gone: 1,
    };
    const { data, main } = filters;
    const known = knownFilters({ filters }, registry.types.get('api::item.item'), { registry });
    expect(known).to.deep.equal({ filters: { data, main, box: { data: {} } } });
  });

  for (const [path, problem] of [
    ['title.a', 'must begin with a json attribute'],
    ['other.a', 'must begin with a json attribute'],
    ['data', 'must name 1 to 8 keys without $'],
    ['data.', 'must name 1 to 8 keys without $'],
    ['data.$a', 'must name 1 to 8 keys without $'],
    ['data.a.0.b', 'must not contain a number'],
  ] as const)
    it(`the index ${path} is a problem of the model`, () => {
      const item = collectionType(
        'item',
        { data: json, title: { type: 'string' } },
        { options: { jsonFilters: true, jsonIndexes: [path] } },
      );
      const { problems } = buildRegistry([item], { ...defaultModelSettings, options: jsonOptions });
      expect(problems.get('api::item.item')).to.deep.equal([`options.jsonIndexes: ${path} ${problem}`]);
    });

  it('indexes without filters are a problem of the model', () => {
    const item = collectionType('item', { data: json }, { options: { jsonIndexes: ['data.a'] } });
    const { problems } = buildRegistry([item], { ...defaultModelSettings, options: jsonOptions });
    expect(problems.get('api::item.item')).to.deep.equal(['options.jsonIndexes requires options.jsonFilters']);
  });
});

describe('paths of JSON', () => {
  let server: ServingAccounts;
  let whole = '';
  let reader = '';
  const ask = (query: string, token = whole) =>
    server.as(token, 'GET', `/api/items?fields=id&pagination[pageSize]=100&${query.replaceAll(' ', '%20')}`);
  const setRules = (rules: object): Promise<Answer> =>
    server.admin('PUT', '/roles/1/rules', { rows: null, fields: null, ...rules });

  before(async () => {
    const items = ids.map((id) => ({
      ...{ _id: id, data: values[id], hidden: values[id], secret: values[id], title: String(id), box: id === 3 ? 2 : 1 },
      ...{
        main: part(values[id], id),
        parts: [part({ other: 1 }, 100 + id), part(values[id], 200 + id)],
        plain: part(values[id], id),
      },
    }));
    const boxes = [1, 2].map((id) => ({ _id: id, data: { a: id } }));
    server = await serveAccounts({ models, documents: { items, boxs: boxes } });
    const granted = ['find', 'findOne', 'update', 'create'].map((action) => `api::item.item.${action}`);
    await server.admin('PUT', '/roles/1', { actions: [...granted, 'api::box.box.find'] });
    reader = (await server.addUser('reader')).jwt;
    const { body } = await server.as(adminToken, 'POST', '/admin/api/tokens', { name: 'whole', type: 'full-access' });
    whole = body.data.accessKey;
  });
  after(() => server.stop());

  for (const place of ['data', 'main][meta', 'parts][meta'])
    for (const [query, found] of answers.filter(([given]) => place !== 'parts][meta' || !/^\[(\$|.*(ull|\$n|\$not))/.test(given)))
      it(`filters[${place}]${query} finds ${JSON.stringify(found)}, and counts them`, async () => {
        const answer = await ask(`filters[${place}]${query.replaceAll('[data]', `[${place}]`)}`);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        expect(numbersOf(answer)).to.deep.equal(found);
        expect(answer.body.meta.pagination.total).to.equal(found.length);
      });

  for (const [query, name] of refused)
    it(`filters[${query} is refused`, async () => {
      const { status, body } = await ask(`filters[${query}`);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(body.error.message).to.equal(`Invalid parameter ${name}`);
    });

  it('stand below relations, and in the filters of populated components', async () => {
    const boxes = await server.as(whole, 'GET', '/api/boxs?filters[items][data][size.width]=10');
    expect(numbersOf(boxes)).to.deep.equal([2]);
    const { body } = await ask('filters[id]=1&populate[parts][filters][meta][size.width]=5');
    expect(body.data[0].attributes.parts.map(({ id }: { id: number }) => id)).to.deep.equal([201]);
  });

  it('are found by their indexes, which examine no other entries', async () => {
    const bulk = Array.from({ length: 2_000 }, (_, index) => ({
      ...{ _id: 10_000 + index, title: 'bulk', data: { size: { width: 10_000 + index }, name: `name ${String(index)}` } },
    }));
    const items = server.database.db.collection<{ _id: number }>('items');
    await items.insertMany(bulk);
    for (const [query, path, found, examined = 2 * found] of [
      ['[size.width]=10500', 'size.width', 1],
      ['[size.width][$gt]=11994', 'size.width', 6],
      // an index uses one bound alone if there are lists on its path
      ['[size.width][$between][0]=11000&filters[data][size.width][$between][1]=11004', 'size.width', 5, 1_000],
      ['[name][$in][0]=name 7&filters[data][name][$in][1]=name 8', 'name', 2],
      ['[name][$startsWith]=name 199', 'name', 11],
    ] satisfies [string, string, number, number?][]) {
      const answer = await server.as(adminToken, 'GET', `/api/items?filters[data]${query.replaceAll(' ', '%20')}&explain=true`);
      const { commands, advice } = answer.body.meta.explain;
      expect([query, advice, answer.body.meta.pagination.total]).to.deep.equal([query, undefined, found]);
      for (const { plan } of commands) {
        expect(plan.index, query).to.equal(`mangrove_data.${path}`);
        expect(plan.documentsExamined, query).to.be.at.most(examined);
      }
    }
    await items.deleteMany({ _id: { $gte: 10_000 } });
  });

  it('explains which index is missing, but none that cannot be', async () => {
    const adviceOf = async (query: string): Promise<unknown> =>
      (await server.as(adminToken, 'GET', `/api/items?filters[data]${query}&explain=true`)).body.meta.explain.advice;
    expect(await adviceOf('[on]=true')).to.equal('no index leads to data.on ("jsonIndexes": ["data.on"])');
    expect(await adviceOf('[colors.0]=red')).to.equal(undefined);
    expect(await adviceOf('[on][$ne]=true')).to.equal(undefined);
  });

  describe('reveal nothing that is hidden', () => {
    before(() => setRules({ fields: { 'api::item.item': { deny: ['hidden'] } } }));
    after(() => setRules({}));

    for (const query of [
      '[size.width]=5',
      '[size.width][$null]=true',
      '[a.$b]=1',
      '[$or][0][on]=true',
      '[$not][on]=true',
      '[a][$regex]=1',
    ])
      it(`filters[hidden]${query} is the same error as any filter on the attribute`, async () => {
        const { status, body } = await ask(`filters[hidden]${query}`, reader);
        expect([status, body.error.message]).to.deep.equal([
          400,
          query.includes('$regex') ? 'Invalid parameter $regex' : 'Invalid parameter hidden',
        ]);
        expect((await ask(`filters[hidden]${query}`)).status).to.equal(/\$b|\$regex/.test(query) ? 400 : 200);
      });
  });

  it('are part of row rules, which hold for writes too', async () => {
    const { status, body } = await setRules({ rows: { 'api::item.item': { data: { 'size.width': { $eq: 5 } } } } });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(numbersOf(await ask('', reader))).to.deep.equal([1, 2]);
    const change = (data: unknown) => server.as(reader, 'PUT', '/api/items/1', { data: { data } });
    expect((await change({ size: { width: 6 } })).status).to.equal(403);
    expect((await change({ size: [{ width: 5 }] })).status).to.equal(403);
    expect((await change(values[1])).status).to.equal(200);
    await setRules({});
  });

  it('change totals when entries do', async () => {
    const count = async (): Promise<number> => (await ask('filters[data][fresh.value]=1')).body.meta.pagination.total;
    expect(await count()).to.equal(0);
    const { body } = await server.as(whole, 'POST', '/api/items', { data: { data: { fresh: { value: '1' } } } });
    expect(await count()).to.equal(1);
    await server.as(whole, 'DELETE', `/api/items/${String(body.data.id)}`);
    expect(await count()).to.equal(0);
  });

  describe('in GraphQL', () => {
    const send = (query: string) => server.as(whole, 'POST', '/graphql', { query });
    const found: readonly (readonly [filters: string, found: readonly number[]])[] = [
      ['{ data: { path: "size.width", eq: 5 } }', [1, 2]],
      ['{ data: { path: "size.width", eq: "5" } }', [1, 2]],
      ['{ data: { path: "size.width", ne: 5 } }', [3, 6]],
      ['{ data: { path: "size.width", in: [5, 10] } }', [1, 2, 3]],
      ['{ data: { path: "size.width", between: [6, 12] } }', [3]],
      ['{ data: { path: "size.width", not: { gt: 4 } } }', [6]],
      ['{ data: { path: "size.width", or: [5, 10] } }', [1, 2, 3]],
      ['{ data: { path: "on", eq: true } }', [1, 2]],
      ['{ data: { path: "name", containsi: "RED" } }', [1, 2, 5]],
      ['{ data: { path: "size.width", notNull: true } }', withWidth],
      ['{ main: { meta: { path: "size.width", eq: 5 } } }', [1, 2]],
      ['{ data: { path: "0", eq: "zero" } }', [6]],
      ['{ data: { path: "0.size.width", eq: 5 } }', [7]],
      ['{ data: { path: "__proto__", notNull: true } }', []],
      ['{ data: { path: "constructor.prototype", notNull: true } }', []],
      ['{ data: { eq: "text" } }', [8]],
      ['{ and: [{ data: { path: "on", eq: true } }, { data: { path: "name", eq: "red" } }] }', [1]],
    ];
    for (const [filters, expected] of found)
      it(`${filters} finds ${JSON.stringify(expected)}`, async () => {
        const { body } = await send(`{ items(filters: ${filters}) { data { id } } }`);
        expect(body.errors).to.equal(undefined);
        expect(body.data.items.data.map(({ id }: { id: string }) => Number(id))).to.deep.equal(expected);
      });

    for (const [path, name] of [
      ['$where', '$where'],
      ['$not', '$not'],
      ['$or', '$or'],
      ['$eq', '$eq'],
      ['a.$b', 'a.$b'],
      ['', 'path'],
    ] as const)
      it(`the path ${JSON.stringify(path)} is refused`, async () => {
        const { body } = await send(`{ items(filters: { data: { path: "${path}", eq: 5 } }) { data { id } } }`);
        expect(body.errors[0].message).to.equal(`Invalid parameter ${name}`);
      });

    it('are in the filters of types with the option alone', async () => {
      const type = (name: string): string => `__type(name: "${name}FiltersInput") { inputFields { name type { name } } }`;
      const { body } = await send(`{ item: ${type('Item')} box: ${type('Box')} plain: ${type('ComponentOfPlain')} }`);
      const typeOf = (name: string, field: string): unknown =>
        body.data[name].inputFields.find((one: { name: string }) => one.name === field).type.name;
      expect([typeOf('item', 'data'), typeOf('box', 'data'), typeOf('plain', 'meta')]).to.deep.equal([
        'JSONPathFilterInput',
        'JSONFilterInput',
        'JSONFilterInput',
      ]);
    });
  });

  it('are in the description of the type with the option alone', async () => {
    const { body } = await server.as(adminToken, 'GET', '/api/openapi.json');
    const { ItemFilters, BoxFilters } = body.components.schemas;
    expect(JSON.stringify(ItemFilters.properties.data)).to.include('JsonPathFilter');
    expect(JSON.stringify(BoxFilters.properties.data)).to.not.include('JsonPathFilter');
  });

  it('are in the types of the client', async () => {
    const response = await fetch(`${server.server.url}/api/types.d.ts`, { headers: { authorization: `Bearer ${adminToken}` } });
    const text = await response.text();
    expect(text).to.include(
      'export type JsonPathFilter = { readonly [name: string]: string | number | boolean | JsonValueFilter };',
    );
    expect(text).to.match(/data\?: string \| JsonFilter \| JsonPathFilter/);
  });

  it('equal a naive oracle on random values and filters, over REST and GraphQL', async () => {
    const random = randomOf(20_261_129);
    const rounds = roundsOf(40, 120);
    const documents = Array.from({ length: 100 }, (_, index) => ({
      _id: 1_000 + index,
      title: 'random',
      data: randomValue(random, 4),
    }));
    await server.database.db.collection<{ _id: number }>('items').insertMany(documents);
    for (let round = 0; round < rounds; round++) {
      const filter = randomFilter(random);
      const expected = documents.filter(({ data }) => isFound(filter, data)).map(({ _id }) => _id);
      // over REST, a name that is one number is the place in a list of operands
      const found = round % 4 === 3 || /^\d$/.test(filter.path) ? await overGraphql(filter) : await overRest(filter);
      expect(found, JSON.stringify(filter)).to.deep.equal(expected);
    }
    await server.database.db.collection('items').deleteMany({ title: 'random' });
  });

  async function overRest({ path, operator, operands, denied }: Filter): Promise<readonly number[]> {
    const key = `filters[data]${denied ? '[$not]' : ''}[${path}][$${operator}]`;
    const list = ['in', 'notIn', 'between'].includes(operator);
    const parts = operands.map(
      (operand, index) => `${key}${list ? `[${String(index)}]` : ''}=${encodeURIComponent(String(operand))}`,
    );
    const answer = await server.as(
      whole,
      'GET',
      `/api/items?filters[title]=random&fields=id&pagination[limit]=100&${parts.join('&')}`,
    );
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body.meta.pagination.total).to.equal(numbersOf(answer).length);
    return numbersOf(answer);
  }

  async function overGraphql({ path, operator, operands, denied }: Filter): Promise<readonly number[]> {
    const list = ['in', 'notIn', 'between'].includes(operator);
    const test = { [operator]: list ? operands : operands[0] };
    const filters = { title: { eq: 'random' }, data: { path, ...(denied ? { not: test } : test) } };
    const query = 'query ($filters: ItemFiltersInput) { items(filters: $filters, pagination: { limit: 100 }) { data { id } } }';
    const { body } = await server.as(whole, 'POST', '/graphql', { query, variables: { filters } });
    expect(body.errors, JSON.stringify(filters)).to.equal(undefined);
    return body.data.items.data.map(({ id }: { id: string }) => Number(id));
  }
});
