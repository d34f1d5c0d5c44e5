import { validationError } from '#base/errors.js';
import type { ScalarAttribute } from '../content-type.js';
import { notOfType } from '../findings.js';
import { numberText, readBigInteger, readInteger, readNumber } from '../stored-values.js';
import { type Convert, convertedValue, conversionFailure, excerpt } from './conversions.js';
import type { InputRules, ScalarRule } from './rule.js';

function castNumber(value: unknown, name: string): number {
  const cast = typeof value === 'object' ? NaN : Number(value);
  if (!Number.isFinite(cast)) throw validationError(`Invalid value ${JSON.stringify(value)} for ${name}, expected a number`);
  return cast;
}

/**
 * Converts a value to a number. Spaces around and inside the digits of a string are ignored. Returns NaN if there is no number.
 */
export function toNumber(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  const digits = typeof value === 'string' ? value.replace(/\s/g, '') : '';
  return digits === '' ? NaN : Number(digits);
}

function castBigInteger(value: unknown, name: string): bigint {
  const cast = toBigInteger(value);
  if (cast === null) throw validationError(`Invalid value ${JSON.stringify(value)} for ${name}, expected a 64-bit integer`);
  return cast;
}

/** Converts a value to a 64-bit integer without loss of digits; returns null for other values. */
function toBigInteger(value: unknown): bigint | null {
  const digits = typeof value === 'object' ? '' : String(value).trim();
  if (!/^[+-]?\d{1,19}$/.test(digits)) return null;
  const integer = BigInt(digits);
  return BigInt.asIntN(64, integer) === integer ? integer : null;
}

/** Casts to a number; a 64-bit integer without loss of digits. Throws a ValidationError. */
export const castExactly = (value: unknown, name: string): number | bigint => toBigInteger(value) ?? castNumber(value, name);

function checkNumber(value: unknown, attribute: ScalarAttribute, path: string, { typesOnly }: InputRules): string[] {
  const number = toNumber(value);
  if (!Number.isFinite(number)) return [notOfType(path, 'number', NaN, value)];
  return typesOnly === true ? [] : rangeProblems(number, attribute, path);
}

function rangeProblems(number: number, { min, max }: ScalarAttribute, path: string): string[] {
  return [
    ...(typeof min === 'number' && number < min ? [`${path} must be greater than or equal to ${String(min)}`] : []),
    ...(typeof max === 'number' && number > max ? [`${path} must be less than or equal to ${String(max)}`] : []),
  ];
}

/** Returns the number in a value; NaN if it is none. */
function numberOf(value: unknown): number {
  if (typeof value === 'boolean') return Number(value);
  const text = numberText(value) ?? value;
  return typeof text === 'string' && !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? NaN : toNumber(text);
}

const toFinite: Convert = (value) => {
  const number = numberOf(value);
  return Number.isFinite(number) ? convertedValue(number) : conversionFailure(`${excerpt(value)} is not a number`);
};

const decimal: ScalarRule = {
  stored: 'number',
  search: 'number',
  uniqueAllowed: true,
  cast: castNumber,
  store: toNumber,
  castsInput: true,
  output: readNumber,
  fitting: 'number',
  check: checkNumber,
  name: 'number',
  allowsDefault: (initial) => Number.isFinite(toNumber(initial)),
  convert: toFinite,
  graphql: 'Float',
  schema: { answer: { type: 'number' } },
  column: 'float8',
  panel: { width: 4, sorts: true, listed: true },
};

const integer: ScalarRule = {
  ...decimal,
  shardKey: true,
  output: readInteger,
  fitting: 'integer',
  check: (value, attribute, path, rules) => {
    const problems = checkNumber(value, attribute, path, rules);
    const number = toNumber(value);
    return Number.isFinite(number) && !Number.isInteger(number) ? [...problems, `${path} must be an integer`] : problems;
  },
  allowsDefault: (initial) => Number.isInteger(toNumber(initial)),
  convert: (value) => {
    const number = numberOf(value);
    if (!Number.isFinite(number)) return conversionFailure(`${excerpt(value)} is not a number`);
    return Number.isSafeInteger(number) ? convertedValue(number) : conversionFailure(`${excerpt(value)} is not an integer`);
  },
  graphql: 'Int',
  schema: { answer: { type: 'integer' } },
  column: 'int4',
};

const biginteger: ScalarRule = {
  stored: 'number',
  search: 'number',
  uniqueAllowed: true,
  shardKey: true,
  cast: castBigInteger,
  store: castBigInteger,
  output: readBigInteger,
  fitting: 'integer',
  // Strapi v4 accepts any text.
  check: (value, _attribute, path) => (toBigInteger(value) === null ? [notOfType(path, 'biginteger', value)] : []),
  convert: (value) => {
    const whole = toBigInteger(typeof value === 'boolean' ? Number(value) : (numberText(value) ?? value));
    return whole === null ? conversionFailure(`${excerpt(value)} is not a 64-bit integer`) : convertedValue(whole);
  },
  graphql: 'Long',
  schema: {
    answer: { type: 'string', pattern: '^-?\\d+$', description: 'A whole number of 64 bits' },
    input: { type: ['string', 'integer'] },
  },
  panel: { width: 4, sorts: true, listed: true },
};

export const numbers = { integer, biginteger, float: decimal, decimal } as const;
