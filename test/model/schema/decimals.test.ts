import { expect } from 'chai';
import { Decimal128, Long } from 'mongodb';
import { compareNumbers, isExactDouble } from '#model/schema/decimals.js';

const decimal = (text: string): Decimal128 => Decimal128.fromString(text);

describe('a double', () => {
  for (const double of [0, -0, 5, 0.5, -2.25, 1e21, 2 ** -10, 4503599627370495.5, Number.MAX_SAFE_INTEGER])
    it(`is exactly what its digits say: ${String(double)}`, () => expect(isExactDouble(double)).to.equal(true));
  for (const double of [0.1, -0.3, 19.99, 1e-320, 5e-324, 2 ** -60, 1.7976931348623157e308])
    it(`is another number than its digits say: ${String(double)}`, () => expect(isExactDouble(double)).to.equal(false));
});

describe('numbers', () => {
  const cases: readonly (readonly [left: unknown, right: unknown, order: number])[] = [
    [decimal('0.1'), 0.1, -1],
    [decimal('0.3'), 0.3, 1],
    [decimal('0.10'), decimal('0.1'), 0],
    [decimal('0.5'), 0.5, 0],
    [decimal('1E-6176'), 0, 1],
    [decimal('-1E-6176'), decimal('1E-6176'), -1],
    [decimal('0E-6176'), decimal('0E+6111'), 0],
    [decimal('-0'), 0, 0],
    [decimal('9007199254740993.5'), 9007199254740992, 1],
    [decimal('9007199254740993.5'), Long.fromString('9007199254740993'), 1],
    [decimal('1E+6144'), 1, 1],
    [decimal('NaN'), 1, NaN],
  ];
  for (const [left, right, order] of cases)
    it(`are compared by all digits: ${String(left)} and ${String(right)}`, () => {
      expect(Math.sign(compareNumbers(left, right))).to.deep.equal(order);
    });
});
