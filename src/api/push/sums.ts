import { fieldErrors } from '#base/errors.js';
import type { Values } from '#base/values.js';
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

/**
 * Returns the sum of a stored number and an amount; null counts as 0. Throws a ValidationError if it is an integer that cannot be exact, or
 * if the stored value is no number of the attribute, because a sum would replace it.
 */
export function sumOf(type: ScalarAttribute['type'], stored: unknown, amount: number | string, name: string): number | string {
  switch (type) {
    case 'biginteger':
      return String(BigInt(storedAs(readBigInteger, stored, name, 'integer of 64 bits')) + exactAmount(amount, name));
    case 'float':
      return Number(storedAs(readNumber, stored, name)) + Number(amount);
    default: {
      const sum = decimalSum(textOf(stored, name), String(amount));
      if (type === 'integer' && Number.isInteger(sum) && !Number.isSafeInteger(sum))
        throw refusal(name, 'must be increased by an integer, and the sum must lie between -2^53 and 2^53');
      return sum;
    }
  }
}

function exactAmount(amount: number | string, name: string): bigint {
  if (typeof amount === 'number' && !Number.isSafeInteger(amount))
    throw refusal(name, 'must be increased by an integer, which must be a text unless it lies between -2^53 and 2^53');
  return BigInt(amount);
}

const refusal = (name: string, problem: string): Error => fieldErrors([{ path: [name], message: `${name} ${problem}` }]);

/** Returns a stored number as it is read; 0 for none. Throws a ValidationError for a value that cannot be read. */
function storedAs<Form>(read: (stored: unknown) => Form | null, stored: unknown, name: string, form = 'finite number'): Form | 0 {
  if (stored === null || stored === undefined) return 0;
  const value = read(stored);
  if (value === null) throw refusal(name, `cannot be increased, because the stored value is no ${form}`);
  return value;
}

/** Returns the digits of a stored number; those of a decimal of 128 bits too. Throws a ValidationError if it is no finite number. */
const textOf = (stored: unknown, name: string): string => {
  const number = storedAs(readNumber, stored, name);
  return numberText(stored) ?? String(number);
};

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
