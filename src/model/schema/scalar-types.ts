import { validationError } from '#base/errors.js';
import { isoText } from '#base/values.js';
import {
  readBigInteger,
  readBoolean,
  readDay,
  readInstant,
  readInteger,
  readJson,
  readList,
  readNumber,
  readText,
  readTime,
  readTimestamp,
  parseDate,
  parseDateTime,
  parseTime,
} from './stored-values.js';
import type { Attribute, ContentType, ScalarAttribute, ScalarType } from './content-type.js';

/** The stored form of values, which decides how they are compared and indexed. */
export type Stored = 'text' | 'number' | 'date' | 'boolean' | 'json' | 'link';

interface ScalarRule {
  readonly stored: Stored;
  /** Whether `_q` searches in the values: in texts always, in numbers if `_q` is a number. */
  readonly search: 'text' | 'number' | 'never';
  /** Whether `unique: true` is possible. */
  readonly uniqueAllowed: boolean;
  /**
   * Turns an operand of a filter, or a value of another database, into its stored form. Throws a ValidationError that has `name`.
   */
  readonly cast: (value: unknown, name: string) => unknown;
  /** Turns a checked input value of the attribute `name` into its stored form. Throws a ValidationError for a date or time. */
  readonly store: (value: unknown, name: string) => unknown;
  /** Turns a stored value that is not null into the JSON of an answer: null if it does not fit the type. Never throws. */
  readonly output: (stored: unknown) => unknown;
}

const same = (value: unknown): unknown => value;

const text: ScalarRule = {
  stored: 'text',
  search: 'text',
  uniqueAllowed: true,
  cast: castText,
  store: castText,
  output: readText,
};
const number: ScalarRule = {
  stored: 'number',
  search: 'number',
  uniqueAllowed: true,
  cast: castNumber,
  store: toNumber,
  output: readNumber,
};
const json: ScalarRule = {
  stored: 'json',
  search: 'never',
  uniqueAllowed: false,
  cast: (value) => (value instanceof Date ? isoText(parseDateTime(value)) : value),
  store: same,
  output: readJson,
};
const datetime: ScalarRule = {
  stored: 'date',
  search: 'never',
  uniqueAllowed: true,
  cast: parseDateTime,
  store: parseDateTime,
  output: readInstant,
};

/** The table of scalar attribute types: how each is stored, compared, searched and shown. */
export const scalarTypes: Readonly<Record<ScalarType, ScalarRule>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  password: { ...text, search: 'never' },
  enumeration: { ...text, uniqueAllowed: false },
  integer: { ...number, output: readInteger },
  biginteger: { ...number, cast: castBigInteger, store: castBigInteger, output: readBigInteger },
  float: number,
  decimal: number,
  boolean: { stored: 'boolean', search: 'never', uniqueAllowed: false, cast: castFlag, store: toBoolean, output: readBoolean },
  date: { ...text, search: 'never', cast: parseDate, store: parseDate, output: readDay },
  time: { ...text, search: 'never', cast: parseTime, store: parseTime, output: readTime },
  datetime,
  timestamp: { ...datetime, output: readTimestamp },
  json,
  blocks: { ...json, store: (value) => (Array.isArray(value) ? value : null), output: readList },
};

export const isScalarType = (type: string): type is ScalarType => Object.hasOwn(scalarTypes, type);

/** Returns the attributes in the full-text index of a type. Private ones are never in it, because everyone may search it. */
export const wordedAttributes = ({ attributes, collection }: ContentType): readonly ScalarAttribute[] =>
  collection === '' ? [] : [...attributes.values()].filter(hasWords);

const hasWords = (attribute: Attribute): attribute is ScalarAttribute =>
  attribute.kind === 'scalar' && attribute.search?.kind === 'language' && attribute.searchable && !attribute.private;

/** Entry ids are compared as numbers. */
export const idRule: ScalarRule = number;

function castText(value: unknown, name: string): string {
  if (typeof value === 'object' && value !== null) throw validationError(`Invalid value for ${name}, expected text`);
  const cast = String(value);
  if (cast.includes('\0')) throw validationError(`Invalid value for ${name}, text may not hold the NUL character`);
  return cast;
}

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
export function toBigInteger(value: unknown): bigint | null {
  const digits = typeof value === 'object' ? '' : String(value).trim();
  if (!/^[+-]?\d{1,19}$/.test(digits)) return null;
  const integer = BigInt(digits);
  return BigInt.asIntN(64, integer) === integer ? integer : null;
}

/**
 * Converts an operand to a boolean, as Strapi v4 does: `false`, `f` and `0` are false, all other strings that are not empty are
 * true.
 */
export function castFlag(value: unknown): boolean {
  if (value === 'false' || value === 'f' || value === '0') return false;
  return Boolean(value);
}

/** Converts `true` and `1`, `false` and `0`, as boolean, string or number, in any case; returns null for other values. */
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object') return null;
  if (/^(true|1)$/i.test(String(value))) return true;
  return /^(false|0)$/i.test(String(value)) ? false : null;
}
