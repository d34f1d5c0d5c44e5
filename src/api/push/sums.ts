import { fieldErrors } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { ScalarAttribute } from '#model/schema/content-type.js';
import { numberText, readBigInteger, readNumber } from '#model/schema/stored-values.js';
import type { NamedAttributes } from './pushed-attributes.js';
import type { PushWrite } from './read-push.js';

/** Returns the values that attributes of a stored entry have after they are increased, in the form of a body. Null counts as 0. */
export const increased = (increment: PushWrite['increment'], named: NamedAttributes, stored: Values): Values =>
  Object.fromEntries(
    Object.entries(increment).map(([name, amount]) => {
      const attribute = named.get(name) as ScalarAttribute; // checked
      return [name, sumOf(attribute.type, stored[attribute.name], amount, name)];
    }),
  );

/** Returns the sum of a stored number and an amount. Throws a ValidationError if it is an integer that cannot be exact. */
export function sumOf(type: ScalarAttribute['type'], stored: unknown, amount: number | string, name: string): number | string {
  switch (type) {
    case 'biginteger':
      return String(BigInt(readBigInteger(stored) ?? 0) + exactAmount(amount, name));
    case 'float':
      return (readNumber(stored) ?? 0) + Number(amount);
    default: {
      const sum = decimalSum(textOf(stored), String(amount));
      if (type === 'integer' && Number.isInteger(sum) && !Number.isSafeInteger(sum)) throw inexact(name);
      return sum;
    }
  }
}

function exactAmount(amount: number | string, name: string): bigint {
  if (typeof amount === 'number' && !Number.isSafeInteger(amount)) throw inexact(name);
  return BigInt(amount);
}

const inexact = (name: string): Error =>
  fieldErrors([{ path: [name], message: `${name} must be increased by an integer, to one that is exact` }]);

/** Returns the digits of a stored number; those of a decimal of 128 bits too. Values that are no finite numbers count as 0. */
const textOf = (stored: unknown): string =>
  readNumber(stored) === null ? '0' : isRecord(stored) ? (numberText(stored) ?? '0') : String(stored);

/** A decimal number: its digits without the point, and the power of ten that they count. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Adds two decimals digit by digit, so that 0.1 and 0.2 are 0.3, and returns the number of 64 bits that is nearest to the sum. */
function decimalSum(one: string, other: string): number {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  const exponent = Math.min(a.exponent, b.exponent);
  return Number(`${String(scaled(a, exponent) + scaled(b, exponent))}e${String(exponent)}`);
}

const scaled = ({ digits, exponent }: Decimal, to: number): bigint => digits * 10n ** BigInt(exponent - to);

function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  return { digits: BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}` || 0), exponent: Number(power) - fraction.length };
}
