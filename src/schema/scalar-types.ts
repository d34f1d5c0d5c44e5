import { validationError } from '../errors.js';
import type { ScalarType } from './content-type.js';
import { parseDate, parseDateTime, parseTime } from './dates.js';

/** How values are kept in the database, as far as comparing and indexing them needs it. */
export type Stored = 'text' | 'number' | 'date' | 'boolean' | 'json' | 'link';

interface ScalarRule {
  readonly stored: Stored;
  /** Found by `_q`: text always, numbers where the text is one. */
  readonly search: 'text' | 'number' | 'never';
  /** Takes `unique: true` (rest.md 1.4). */
  readonly uniqueAllowed: boolean;
  /** Turns an operand or a checked input value of the attribute `name` into what is stored. Throws a ValidationError. */
  readonly cast: (value: unknown, name: string) => unknown;
  /** Turns a stored value that is not null into the JSON of an answer. */
  readonly output: (value: unknown) => unknown;
}

const same = (value: unknown): unknown => value;

const text: ScalarRule = { stored: 'text', search: 'text', uniqueAllowed: true, cast: castText, output: same };
const number: ScalarRule = {
  stored: 'number',
  search: 'number',
  uniqueAllowed: true,
  cast: castNumber,
  output: same,
};
const json: ScalarRule = { stored: 'json', search: 'never', uniqueAllowed: false, cast: same, output: same };
const datetime: ScalarRule = {
  stored: 'date',
  search: 'never',
  uniqueAllowed: true,
  cast: parseDateTime,
  output: (value) => (value instanceof Date ? value.toISOString() : value),
};

/** The one table of scalar attribute types: how each is stored, compared, searched and shown (rest.md 1.3, 6.3). */
export const scalarTypes: Readonly<Record<ScalarType, ScalarRule>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  password: { ...text, search: 'never' },
  enumeration: { ...text, uniqueAllowed: false },
  integer: number,
  biginteger: { ...number, cast: castBigInteger, output: String },
  float: number,
  decimal: number,
  boolean: { stored: 'boolean', search: 'never', uniqueAllowed: false, cast: castBoolean, output: same },
  date: { ...text, search: 'never', cast: parseDate },
  time: { ...text, search: 'never', cast: parseTime },
  datetime,
  timestamp: { ...datetime, output: (value) => (value instanceof Date ? String(value.getTime()) : value) },
  json,
  blocks: json,
};

export const isScalarType = (type: string): type is ScalarType => Object.hasOwn(scalarTypes, type);

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

const minimumInt64 = -(2n ** 63n);
const maximumInt64 = 2n ** 63n - 1n;

/** A 64-bit integer, all digits kept. */
function castBigInteger(value: unknown, name: string): bigint {
  const digits = String(value).trim();
  const cast = /^[+-]?\d{1,20}$/.test(digits) ? BigInt(digits) : null;
  if (cast === null || cast < minimumInt64 || cast > maximumInt64)
    throw validationError(`Invalid value ${JSON.stringify(value)} for ${name}, expected a 64-bit integer`);
  return cast;
}

/** The reference's words for yes and no; any other text is yes, empty text is no (rest.md 6.3). */
export function castBoolean(value: unknown): boolean {
  if (value === 'false' || value === 'f' || value === '0') return false;
  return Boolean(value);
}
