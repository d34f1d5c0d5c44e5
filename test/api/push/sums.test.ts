import { expect } from 'chai';
import { Decimal128, Double, Int32, Long } from 'mongodb';
import { sumOf } from '#api/push/sums.js';
import { Random } from '../../../scripts/random.js';

describe('sums of increments', () => {
  const cases: readonly (readonly [Parameters<typeof sumOf>[0], unknown, number | string, number | string])[] = [
    ['decimal', null, 0.1, 0.1],
    ['decimal', 0.1, 0.2, 0.3],
    ['decimal', 0.3, -0.1, 0.2],
    ['decimal', 123456789012.345, 0.0001, 123456789012.3451],
    ['decimal', 1.3333333333333333, 0, 1.3333333333333333],
    ['decimal', Decimal128.fromString('1234567890123.4567'), 0.0001, 1234567890123.4568],
    ['decimal', Decimal128.fromString('1E-6176'), 1e308, 1e308],
    ['decimal', new Double(1.5), '1', 2.5],
    ['decimal', 1e-7, 2e-7, 3e-7],
    ['integer', Number.MAX_SAFE_INTEGER - 1, 1, Number.MAX_SAFE_INTEGER],
    ['integer', new Int32(3), -5, -2],
    ['float', 0.1, 0.2, 0.1 + 0.2],
    ['biginteger', Long.fromString('9007199254740993'), '9007199254740993', '18014398509481986'],
    ['biginteger', null, -1, '-1'],
  ];
  for (const [type, stored, amount, sum] of cases)
    it(`${type}: ${String(stored)} and ${String(amount)} are ${String(sum)}`, () => {
      expect(sumOf(type, stored, amount, 'views')).to.equal(sum);
    });

  it('are refused if an integer cannot be exact', () => {
    const beyond = 'views must be increased by an integer, and the sum must lie between -2^53 and 2^53';
    expect(() => sumOf('integer', Number.MAX_SAFE_INTEGER, 1, 'views')).to.throw(beyond);
    const asText = 'views must be increased by an integer, which must be a text unless it lies between -2^53 and 2^53';
    expect(() => sumOf('biginteger', 1, 2 ** 53, 'views')).to.throw(asText);
    expect(() => sumOf('biginteger', 1, 0.5, 'views')).to.throw(asText);
  });

  const unreadable: readonly (readonly [Parameters<typeof sumOf>[0], unknown])[] = [
    ['decimal', Decimal128.fromString('1E+400')],
    ['decimal', Decimal128.fromString('NaN')],
    ['decimal', 'no number'],
    ['float', Decimal128.fromString('1E+400')],
    ['float', Infinity],
    ['integer', Decimal128.fromString('-1E+400')],
    ['biginteger', 12.5],
    ['biginteger', 2 ** 70],
    ['biginteger', Decimal128.fromString('1E+30')],
  ];
  for (const [type, stored] of unreadable)
    it(`${type}: ${String(stored)} is refused, and not replaced`, () => {
      expect(() => sumOf(type, stored, 1, 'views')).to.throw('views cannot be increased, because the stored value is no ');
      expect(sumOf(type, undefined, 1, 'views')).to.equal(type === 'biginteger' ? '1' : 1);
    });

  it('are exact in any order, for decimals of up to 15 digits', () => {
    const random = new Random(28);
    for (let run = 0; run < 200; run++) {
      const places = random.below(9);
      const amounts = Array.from({ length: 40 }, () => random.below(2_000_000) - 1_000_000);
      const text = (digits: number): number => Number(`${String(digits)}e-${String(places)}`);
      const sum = amounts.reduce<unknown>((stored, digits) => sumOf('decimal', stored, text(digits), 'price'), null);
      expect(sum).to.equal(text(amounts.reduce((one, other) => one + other)));
    }
  });
});
