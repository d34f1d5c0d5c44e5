import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

/** Values under attributes with components and links, as other programs or a former JSON attribute have stored them. */
const values: readonly (readonly [what: string, value: unknown])[] = [
  ['a mixed list', [null, 1, { id: 1 }, 'x', [2], { __component: 'my.part', id: 2, size: 5 }, { __type: 'api::box.box', id: 1 }]],
  ['a list of lists', [[1], [{ id: 1 }]]],
  ['a list of null', [null]],
  ['a text', 'x'],
  ['a number', 1],
  ['not a number', NaN],
  ['an object without an id', { size: 1 }],
  ['an object with another id', { id: 'x', __component: 5, __type: 5 }],
  ['an object with operators', { $where: 1, id: { $gt: 0 } }],
  ['an object id', new ObjectId('65f000000000000000000001')],
  ['a date', new Date(0)],
  ['a boolean', true],
];

const part: TestModel = {
  uid: 'my.part',
  info: { displayName: 'Part' },
  attributes: {
    size: { type: 'integer' },
    box: { type: 'relation', relation: 'oneToOne', target: 'api::box.box' },
    pic: { type: 'media' },
    inner: { type: 'component', component: 'my.inner', repeatable: true },
  },
};
const inner: TestModel = { uid: 'my.inner', info: { displayName: 'Inner' }, attributes: { text: { type: 'string' } } };
const link = (relation: string, more: object) => ({ type: 'relation', relation, ...more });
const attributes = {
  one: { type: 'component', component: 'my.part' },
  list: { type: 'component', component: 'my.part', repeatable: true },
  zone: { type: 'dynamiczone', components: ['my.part'] },
  box: link('manyToOne', { target: 'api::box.box', inversedBy: 'odds' }),
  boxes: link('manyToMany', { target: 'api::box.box', inversedBy: 'others' }),
  pic: { type: 'media' },
  pics: { type: 'media', multiple: true },
  about: link('morphToOne', {}),
  abouts: link('morphToMany', {}),
} as const;
const names = Object.keys(attributes);

const model = (name: string, more: object, rest: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: name,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: more,
  ...rest,
});
const models: readonly TestModel[] = [
  inner,
  part,
  model('odd', { title: { type: 'string' }, ...attributes }, { pluginOptions: { i18n: { localized: true } } }),
  model('box', {
    label: { type: 'string' },
    odds: link('oneToMany', { target: 'api::odd.odd', mappedBy: 'box' }),
    others: link('manyToMany', { target: 'api::odd.odd', mappedBy: 'boxes' }),
    about: link('morphMany', { target: 'api::odd.odd', morphBy: 'abouts' }),
  }),
];
const odd = values.map(([, value], index) => ({
  _id: index + 1,
  title: 'a',
  locale: 'en',
  _group: index + 1,
  ...Object.fromEntries(names.map((name) => [name, value])),
  _ranks: Object.fromEntries(names.map((name) => [name, value])),
}));

const right = {
  one: { size: 1, box: 1, inner: [{ text: 'a' }] },
  list: [{ size: 1 }],
  zone: [{ __component: 'my.part', size: 1 }],
  box: 1,
  boxes: [1],
  pic: null,
  pics: [],
  about: { __type: 'api::box.box', id: 1 },
  abouts: [{ __type: 'api::box.box', id: 1 }],
};

const everything = 'locale=all&pagination[pageSize]=100';
const lists: readonly string[] = [
  ...['populate=*', 'populate=deep', 'populate[list][populate]=*&populate[zone][populate]=*', 'populate[boxes][count]=true'],
  ...['one', 'list', 'zone', 'box', 'boxes', 'pics'].map(
    (name) => `populate[${name}][sort]=id&populate[${name}][pagination][limit]=1`,
  ),
  ...['one', 'list'].flatMap((name) => [
    `filters[${name}][size][$eq]=1`,
    `filters[${name}][size][$contains]=1`,
    `filters[${name}][size][$null]=true`,
    `filters[${name}][inner][text][$contains]=a`,
    `filters[${name}][box][label]=a`,
    `filters[${name}][id][$contains]=1`,
    `sort=${name}.size`,
    `sort=${name}.inner.text`,
    `sort=${name}.box.label`,
  ]),
  ...['box', 'boxes'].flatMap((name) => [
    ...['[id][$eq]=1', '[id][$notNull]=true', '[id][$null]=true', '[id][$ne]=1', '[id][$gt]=0'].map(
      (filter) => `filters[${name}]${filter}`,
    ),
    `filters[${name}][label]=a`,
    `filters[${name}][label][$null]=true`,
    `sort=${name}.label`,
    `sort=${name}.label:desc`,
  ]),
];
const boxes = [
  'populate=*',
  'populate=deep',
  'populate[odds][sort]=title&populate[others][sort]=title',
  'filters[odds][title]=a',
].concat([
  ...['odds', 'others', 'about'].flatMap((name) => [`populate[${name}][pagination][limit]=1`, `populate[${name}][count]=true`]),
  ...['odds', 'others'].flatMap((name) => [
    `filters[${name}][id][$null]=true`,
    `sort=${name}.title`,
    `filters[${name}][list][size]=1`,
  ]),
]);

describe('stored values that are no components or links', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents: { odd, box: [{ _id: 1, label: 'a' }] } });
  });
  after(() => serving.stop());

  for (const [path, queries] of [
    ['/api/odds', lists],
    ['/api/boxs', boxes],
  ] as const)
    for (const query of queries)
      it(`do not end ${path}?${query}`, async () => {
        const { status, body } = await serving.call('GET', `${path}?${query}&${everything}`);
        expect(status, JSON.stringify(body)).to.equal(200);
      });

  it('do not end a read over GraphQL', async () => {
    const parts = 'id size box { data { id } } pic { data { id } } inner { text }';
    const fields = `one { ${parts} } list { ${parts} } zone { ... on ComponentMyPart { ${parts} } } box { data { id } } boxes { data { id } }
      pic { data { id } } pics { data { id } } about { __typename } abouts { __typename }`;
    const { body } = await serving.call('POST', '/graphql', {
      query: `{ odds(locale: "all", pagination: { limit: 100 }) { data { id attributes { ${fields} } } }
        boxs { data { attributes { odds { data { id } } others { data { id } } about { data { id } } } } } }`,
    });
    expect(body.errors).to.equal(undefined);
  });

  for (const [index, [what]] of values.entries())
    it(`are left out, and repaired by an update: ${what}`, async () => {
      const path = `/api/odds/${String(index + 1)}?populate=*`;
      const before = (await serving.call('GET', path)).body.data.attributes;
      for (const name of ['list', 'zone']) for (const item of before[name]) expect(item, name).to.be.an('object');
      const { status, body } = await serving.call('PUT', path, { data: right });
      expect(status, JSON.stringify(body)).to.equal(200);
      const { one, list, zone, box, boxes: all, abouts } = body.data.attributes;
      expect([one.size, list[0].size, zone[0].size, box.data.id, all.data[0].id, abouts[0].id]).to.deep.equal([1, 1, 1, 1, 1, 1]);
    });

  for (const [index, [what]] of values.entries())
    it(`do not end a translation, a deletion or a change from the other side: ${what}`, async () => {
      const id = index + 50;
      await serving.database.db
        .collection<{ _id: number }>('odd')
        .insertOne(Object.assign({}, odd[index], { _id: id, _group: id }));
      const made = await serving.call('POST', `/api/odds/${String(id)}/localizations`, { locale: 'fr', title: 'b' });
      expect(made.status, JSON.stringify(made.body)).to.be.below(500);
      for (const change of [{ connect: [id] }, { disconnect: [id] }]) {
        const { status, body } = await serving.call('PUT', '/api/boxs/1', { data: { odds: change, others: change } });
        expect(status, JSON.stringify(body)).to.equal(200);
      }
      expect((await serving.call('DELETE', `/api/odds/${String(id)}`)).status).to.equal(200);
    });
});
