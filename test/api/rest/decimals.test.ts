import { expect } from 'chai';
import { Decimal128, Double, Int32, Long } from 'mongodb';
import { collectionType } from '../../support/collection-type.js';
import { type Answer, serveModels, type Serving } from '../../support/serve.js';

const decimal = (text: string): Decimal128 => Decimal128.fromString(text);
const part = {
  uid: 'shop.part',
  collectionName: 'components_shop_parts',
  info: { displayName: 'Part' },
  attributes: { price: { type: 'decimal' } },
};
const models = [
  part,
  collectionType(
    'ware',
    {
      price: { type: 'decimal' },
      code: { type: 'decimal', unique: true },
      count: { type: 'integer' },
      data: { type: 'json' },
      parts: { type: 'component', component: 'shop.part', repeatable: true },
    },
    { options: { jsonFilters: true } },
  ),
];

/** The double 0.1 is a little more than the decimal number, 0.3 a little less. */
const prices: readonly unknown[] = [
  decimal('0.1'),
  0.1,
  decimal('0.10'),
  decimal('0.3'),
  0.3,
  decimal('5'),
  Long.fromNumber(5),
  new Int32(5),
  new Double(5),
  decimal('0.3333333333333333333333333333333333'),
  null,
];
const wares = prices.map((price, n) => ({
  _id: n + 1,
  price,
  code: n === 3 ? decimal('1.1') : null,
  count: n === 5 ? decimal('7') : null,
  data: { price },
  parts: [],
}));
const holder = { _id: 99, price: 77, parts: prices.map((price, n) => ({ id: n + 1, price })) };

/** Filters and the ids of the wares that they find. */
const cases: readonly (readonly [filter: object, ids: readonly number[]])[] = [
  [{ $eq: 0.1 }, [1, 2, 3]],
  [{ $ne: 0.1 }, [4, 5, 6, 7, 8, 9, 10]],
  [{ $in: [0.1, 5] }, [1, 2, 3, 6, 7, 8, 9]],
  [{ $notIn: [0.1, 0.3] }, [6, 7, 8, 9, 10]],
  [{ $gt: 0.1 }, [4, 5, 6, 7, 8, 9, 10]],
  [{ $gte: 0.1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ $lt: 0.1 }, []],
  [{ $lte: 0.1 }, [1, 2, 3]],
  [{ $lt: 0.3 }, [1, 2, 3]],
  [{ $lte: 0.3 }, [1, 2, 3, 4, 5]],
  [{ $gt: 0.3 }, [6, 7, 8, 9, 10]],
  [{ $gte: 0.3 }, [4, 5, 6, 7, 8, 9, 10]],
  [{ $not: { $gt: 0.1 } }, [1, 2, 3]],
  [{ $between: [0.1, 0.3] }, [1, 2, 3, 4, 5]],
  [{ $eq: 5 }, [6, 7, 8, 9]],
  [{ $contains: '0.1' }, [1, 2, 3]],
];

/** Returns a query string: `filters[price][$eq]=0.1`. */
const spell = (name: string, value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, inner]) => spell(`${name}[${key}]`, inner))
        .join('&')
    : `${name}=${encodeURIComponent(String(value))}`;

describe('numbers that other programs have stored as decimals', () => {
  let service: Serving;
  before(async () => {
    service = await serveModels({ models, documents: { wares: [...wares, holder] } });
  });
  after(() => service.stop());

  const get = async (query: string, path = ''): Promise<Answer['body']> => {
    const { status, body } = await service.call('GET', `/api/wares${path}?${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const idsIn = (data: readonly { readonly id: number | string }[]): readonly number[] => data.map(({ id }) => Number(id));
  const onlyPrices = 'filters[id][$lt]=99';

  for (const [filter, ids] of cases) {
    it(`meet ${JSON.stringify(filter)}`, async () => {
      expect(idsIn((await get(`${spell('filters[price]', filter)}&${onlyPrices}&sort=id`)).data)).to.deep.equal(ids);
    });
    it(`meet ${JSON.stringify(filter)} in a populated list of components, which is compared in memory`, async () => {
      const { data } = await get(spell('populate[parts][filters][price]', filter), '/99');
      expect(idsIn(data.attributes.parts)).to.deep.equal(ids);
    });
  }

  it('meet conditions inside of JSON', async () => {
    expect(idsIn((await get('filters[data][price][$eq]=0.1&sort=id')).data)).to.deep.equal([1, 2, 3]);
    expect(idsIn((await get('filters[data][price][$lte]=0.1&sort=id')).data)).to.deep.equal([1, 2, 3]);
    expect(idsIn((await get('filters[data][price][$gt]=0.3&sort=id')).data)).to.deep.equal([6, 7, 8, 9, 10]);
  });

  it('meet filters of whole numbers, and are found by a unique value', async () => {
    expect(idsIn((await get('filters[count][$eq]=7')).data)).to.deep.equal([6]);
    expect((await get('', '/by/code/1.1')).data.id).to.equal(4);
  });

  it('meet filters of GraphQL', async () => {
    const query = '{ wares(filters: { price: { in: [0.1] } }, sort: "id") { data { id attributes { price } } } }';
    const { body } = await service.call('POST', '/graphql', { query });
    expect(idsIn(body.data.wares.data)).to.deep.equal([1, 2, 3]);
    expect(body.data.wares.data[0].attributes.price).to.equal(0.1);
  });

  it('are sorted and read page by page, each once', async () => {
    const ids: number[] = [];
    let after = 'pagination[cursors]=true';
    for (let more = true; more;) {
      const { data, meta } = await get(`sort=price&${onlyPrices}&pagination[limit]=2&${after}`);
      ids.push(...idsIn(data));
      more = meta.pagination.hasNext;
      after = `pagination[after]=${meta.pagination.cursors.end as string}`;
    }
    expect(ids).to.have.length(wares.length);
    expect(new Set(ids).size).to.equal(wares.length);
    expect([ids[0], new Set(ids.slice(1, 4)), new Set(ids.slice(4, 6))]).to.deep.equal([11, new Set([1, 2, 3]), new Set([4, 5])]);
  });

  it('are one value in groups, facets and ranges', async () => {
    const { data } = await get(`aggregate[count]=*&groupBy[0]=price&${onlyPrices}`, '/aggregate');
    const counts = new Map(
      (data as { group: { price: number }; count: number }[]).map(({ group, count }) => [group.price, count]),
    );
    expect([counts.get(0.1), counts.get(0.3), counts.get(5)]).to.deep.equal([3, 2, 4]);
    expect(data).to.have.length(5);
    const distinct = await get(`aggregate[countDistinct][0]=price&${onlyPrices}`, '/aggregate');
    expect(distinct.data[0].countDistinct.price).to.equal(4);
    const faceted = await get(`facets[price][ranges]=0.1,0.3,5&${onlyPrices}`);
    expect(faceted.meta.facets.price).to.deep.equal([
      { from: 0.1, to: 0.3, count: 3 },
      { from: 0.3, to: 5, count: 3 },
      { from: 5, count: 4 },
    ]);
  });

  it('meet conditions on sums', async () => {
    const query = 'aggregate[sum][0]=price&groupBy[0]=count';
    const { data } = await get(`${query}&filters[id][$in][0]=1&having[sum][price][$eq]=0.1`, '/aggregate');
    expect(data).to.deep.equal([{ group: { count: null }, sum: { price: 0.1 } }]);
    const whole = await get('aggregate[sum][0]=price&filters[id][$in][0]=1&having[sum][price][$eq]=0.1', '/aggregate');
    expect(whole.data).to.deep.equal([{ group: {}, sum: { price: 0.1 } }]);
  });
});
