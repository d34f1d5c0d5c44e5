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
    ['decimal', 'no number', 1, 1],
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
    expect(() => sumOf('integer', Number.MAX_SAFE_INTEGER, 1, 'views')).to.throw('views must be increased');
    expect(() => sumOf('biginteger', 1, 2 ** 53, 'views')).to.throw('views must be increased');
    expect(() => sumOf('biginteger', 1, 0.5, 'views')).to.throw('views must be increased');
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
