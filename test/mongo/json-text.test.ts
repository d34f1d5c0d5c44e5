import { expect } from 'chai';
import fc from 'fast-check';
import { compileText } from '../../src/mongo/compile-text.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';

const fixed: readonly unknown[] = [
  '',
  'text',
  'a "quoted" \\ text\n\r\t\b\f',
  'é 😀',
  '$notAPath',
  '$$value',
  0,
  -0,
  7,
  -1.5,
  0.1,
  1e15,
  123456789012,
  2 ** 53,
  1e21,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [1, 'two', null, { three: [3] }],
  { a: null, b: { c: { d: [{ e: 'f' }] } } },
  { 'a key': 1, 'a.b': 2, $c: 3, '': 4 },
  [[[[[[[[[[['eleven levels']]]]]]]]]]],
];

describe('the text of JSON in the database', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  async function textsOf(values: readonly unknown[]): Promise<unknown[]> {
    const rows = database.db.collection<{ _id: number }>('values');
    await rows.deleteMany({});
    await rows.insertMany(values.map((value, _id) => ({ _id, value })));
    const pipeline = [{ $sort: { _id: 1 } }, { $project: { text: compileText('$value', 'json') } }];
    return (await rows.aggregate(pipeline).toArray()).map(({ text }) => text as unknown);
  }

  it('is what JSON.stringify says', async () => {
    expect(await textsOf(fixed)).to.deep.equal(fixed.map((value) => JSON.stringify(value)));
  });

  it('is so for any JSON', async () => {
    const number = fc.oneof(
      fc.integer(),
      fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
      fc.integer().map((n) => n / 64),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme' }).filter((text) => !/[\u0000-\u0007\u000b\u000e-\u001f]/.test(text)),
        number,
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'grapheme-ascii', maxLength: 5 }), tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 50 }), async (values) => {
        expect(await textsOf(values)).to.deep.equal(values.map((one) => JSON.stringify(one)));
      }),
      { numRuns: 20, seed: 3 },
    );
  });

  it('leaves out what is nested deeper than twelve levels', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
    expect(await textsOf([deep(11), deep(12)])).to.deep.equal([JSON.stringify(deep(11)), `${'['.repeat(12)}${']'.repeat(12)}`]);
  });
});
