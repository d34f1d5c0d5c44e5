import { isRecord } from '#base/values.js';

/** A finite decimal number: `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const decimalForm = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Returns the number that a text such as `0.10` or `1.5E-7` says; null if it says none, or an infinite one. */
function decimalIn(text: string): Decimal | null {
  const [, sign = '', whole, fraction = '', exponent = '0'] = decimalForm.exec(text) ?? [];
  if (whole === undefined) return null;
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}

/** Returns all digits of a finite double: those of 0.1 are 0.1000000000000000055511151231257827021181583404541015625. */
function decimalOf(double: number): Decimal {
  let [whole, halvings] = [double, 0];
  for (; !Number.isInteger(whole); halvings++) whole *= 2;
  return { digits: BigInt(whole) * 5n ** BigInt(halvings), exponent: -halvings };
}

/** Returns a negative number, 0 or a positive one. */
function compare(left: Decimal, right: Decimal): number {
  if (left.digits === 0n || right.digits === 0n) return Number(left.digits > right.digits) - Number(left.digits < right.digits);
  const exponent = Math.min(left.exponent, right.exponent);
  const [a, b] = [left, right].map((one) => one.digits * 10n ** BigInt(one.exponent - exponent)) as [bigint, bigint];
  return a < b ? -1 : Number(a > b);
}

/** Returns whether two texts say the same finite number. */
export function isSameDecimal(left: string, right: string): boolean {
  const [a, b] = [decimalIn(left), decimalIn(right)];
  return a !== null && b !== null && compare(a, b) === 0;
}

/**
 * Returns whether a double is exactly the number that its digits say, as 5 and 0.5 are. 0.1 is not: a program that keeps decimal digits
 * stores another number for 0.1.
 */
export function isExactDouble(double: number): boolean {
  if (Number.isSafeInteger(double) || !Number.isFinite(double)) return true;
  const said = decimalIn(String(double));
  if (said === null || said.exponent < -mostFives) return false;
  return said.exponent < 0 ? said.digits % 5n ** BigInt(-said.exponent) === 0n : compare(said, decimalOf(double)) === 0;
}

/** 17 digits have no more factors of 5, of which a sum of halves has one for each digit behind the point. */
const mostFives = 24;

/** Returns whether a value is a decimal number of BSON, which the driver reads as an object. */
export const isDecimal = (value: unknown): boolean => isRecord(value) && value['_bsontype'] === 'Decimal128';

/**
 * Compares two numbers by all of their digits: doubles, integers, or decimal numbers of BSON. Those beyond all doubles are equal. Returns
 * NaN if one is NaN.
 */
export function compareNumbers(left: unknown, right: unknown): number {
  const [a, b] = [Number(left), Number(right)];
  if (a !== b) return a < b ? -1 : a > b ? 1 : NaN;
  const [one, other] = [exactForm(left), exactForm(right)];
  return one === null || other === null ? 0 : compare(one, other);
}

const exactForm = (value: unknown): Decimal | null =>
  typeof value === 'number' && Number.isFinite(value) ? decimalOf(value) : decimalIn(String(value));

/** Compares a number with the one that the digits of a double say. */
export const compareWithDigits = (value: unknown, double: number): number => {
  const [own, said] = [exactForm(value), decimalIn(String(double))];
  return Number(value) !== double || own === null || said === null ? compareNumbers(value, double) : compare(own, said);
};
