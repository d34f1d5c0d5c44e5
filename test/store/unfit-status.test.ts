import { expect } from 'chai';
import { Decimal128, Long } from 'mongodb';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const models = (type: string): readonly TestModel[] => [
  { uid: 'my.part', info: { displayName: 'Part' }, attributes: { value: { type } } },
  {
    uid: 'api::odd.odd',
    kind: 'collectionType',
    collectionName: 'odds',
    info: { singularName: 'odd', pluralName: 'odds', displayName: 'Odd' },
    attributes: {
      value: { type },
      one: { type: 'component', component: 'my.part' },
      list: { type: 'component', component: 'my.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['my.part'] },
    },
  },
];

const noon = new Date('2024-02-29T12:00:00Z');
const values: readonly unknown[] = [
  ...['text', '12', '2024-02-29', '12:00:00', 12, 1.5, NaN, Infinity, Long.fromString('9007199254740993')],
  ...[Decimal128.fromString('12'), true, noon, null, ['a'], [1], { a: 1 }],
];

/** The number of values that do not fit, by type. */
const unfit: Readonly<Record<string, number>> = {
  string: 11,
  integer: 12,
  biginteger: 12,
  float: 11,
  boolean: 14,
  date: 14,
  time: 14,
  datetime: 14,
  timestamp: 14,
  blocks: 13,
  json: 0,
};

describe('stored values that do not fit their attributes are counted', () => {
  let serving: Serving;
  before(async () => {
    const odds = values.map((value, index) => {
      const part = { id: index + 1, value };
      return { _id: index + 1, value, one: part, list: [part, part], zone: [{ __component: 'my.part', ...part }] };
    });
    serving = await serveModels({ models: models('json'), documents: { odds } });
  });
  after(() => serving.stop());

  const counted = async (): Promise<unknown> =>
    (await serving.database.db.collection('_model_status').findOne({ uid: 'api::odd.odd' }))?.['unfitValues'];

  for (const [type, entries] of Object.entries(unfit))
    it(`as ${type}`, async () => {
      const stored = serving.database.db.collection<{ _id: string }>('_models');
      for (const { uid, ...model } of models(type)) await stored.replaceOne({ _id: uid }, model);
      await serving.settled();
      const places = ['value', 'one.value', 'list.value', 'zone.value'];
      expect(await counted()).to.deep.equal(entries === 0 ? [] : places.map((attribute) => ({ attribute, entries })));
    });

  it('also those that were there before the first start', async () => {
    const odds = [{ _id: 1, value: 'text', one: null, list: [], zone: [] }];
    const other = await serveModels({ models: models('integer'), documents: { odds } });
    const row = await other.database.db.collection('_model_status').findOne({ uid: 'api::odd.odd' });
    await other.stop();
    expect(row?.['unfitValues']).to.deep.equal([{ attribute: 'value', entries: 1 }]);
  });
});
