import { expect } from 'chai';
import fc from 'fast-check';
import { Long } from 'mongodb';
import { compileText } from '#store/read/compile-text.js';
import { storedText } from '#model/query/stored-text.js';
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

const numbers: readonly number[] = [
  ...[0, -0, 7, -1.5, 0.1, 0.1 + 0.2, 1 / 3, 4.35, 1e5, 1234567.891, 2 ** 31, 5e9, 1e15, 9e15, 2 ** 53, 2 ** 53 + 2],
  ...[1e16, 1.5e17, -1.5e17, 12345678901234567890, 9.9e20, 1e21, -1.5e21, 1e22, 1e100, Number.MAX_VALUE],
  ...[1e-3, 1e-4, 1.5e-4, 1e-5, -1.5e-5, 1.23456789e-5, 1e-6, 9.87e-6, 1e-7, -1.5e-7, 1e-9, 1e-10, 1e-100, Number.MIN_VALUE],
];

const deep = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : levels % 2 === 0 ? [deep(levels - 1, inner), 1] : { a: deep(levels - 1, inner), b: 2 };

describe('the text of JSON and numbers in the database', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  async function textsOf(values: readonly unknown[], stored: 'json' | 'number' = 'json'): Promise<unknown[]> {
    const rows = database.db.collection<{ _id: number }>('values');
    await rows.deleteMany({});
    await rows.insertMany(values.map((value, _id) => ({ _id, value })));
    const pipeline = [{ $sort: { _id: 1 } }, { $project: { text: compileText('$value', stored) } }];
    return (await rows.aggregate(pipeline).toArray()).map(({ text }) => text as unknown);
  }

  it('is that of JSON.stringify', async () => {
    expect(await textsOf(fixed)).to.deep.equal(fixed.map((value) => JSON.stringify(value)));
  });

  it('is that of JSON.stringify for any JSON', async () => {
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

  it('is the same in memory, however long or deep, and with control characters', async () => {
    const values = [...fixed, ...numbers, deep(11, 'x'), deep(12, 'x'), deep(13, ['x']), deep(30, 'x'), '\u0001 \u001f \u007f'];
    expect(await textsOf(values)).to.deep.equal(values.map((value) => storedText(value, 'json')));
  });

  it('of a number is that of the answer', async () => {
    const shown = numbers.map((number) => JSON.stringify(number));
    expect(await textsOf(numbers, 'number')).to.deep.equal(shown);
    expect(await textsOf(numbers)).to.deep.equal(shown);
    expect(numbers.map((number) => storedText(number, 'number'))).to.deep.equal(shown);
    const whole = [2n ** 62n, -(2n ** 62n), 5n].map((number) => Long.fromBigInt(number));
    expect(await textsOf(whole, 'number')).to.deep.equal(whole.map((number) => storedText(number, 'number')));
  });

  it('of any number is that of the answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 200 }), async (values) => {
        expect(await textsOf(values, 'number')).to.deep.equal(values.map((value) => JSON.stringify(value)));
      }),
      { numRuns: 5, seed: 3 },
    );
  });

  it('leaves out what is nested deeper than twelve levels', async () => {
    const list = (levels: number): unknown => (levels === 0 ? 'x' : [list(levels - 1)]);
    expect(await textsOf([list(11), list(12)])).to.deep.equal([JSON.stringify(list(11)), `${'['.repeat(12)}${']'.repeat(12)}`]);
  });
});
