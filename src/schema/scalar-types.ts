import { validationError } from '../errors.js';
import { isoText } from '../values.js';
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
  /** Turns a stored value that is not null into the JSON of an answer. */
  readonly output: (value: unknown) => unknown;
}

const same = (value: unknown): unknown => value;

const text: ScalarRule = {
  stored: 'text',
  search: 'text',
  uniqueAllowed: true,
  cast: castText,
  store: castText,
  output: same,
};
const number: ScalarRule = {
  stored: 'number',
  search: 'number',
  uniqueAllowed: true,
  cast: castNumber,
  store: toNumber,
  output: same,
};
const json: ScalarRule = { stored: 'json', search: 'never', uniqueAllowed: false, cast: same, store: same, output: same };
const datetime: ScalarRule = {
  stored: 'date',
  search: 'never',
  uniqueAllowed: true,
  cast: parseDateTime,
  store: parseDateTime,
  output: (value) => (value instanceof Date ? isoText(value) : value),
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
  integer: number,
  biginteger: { ...number, cast: castBigInteger, store: castBigInteger, output: String },
  float: number,
  decimal: number,
  boolean: { stored: 'boolean', search: 'never', uniqueAllowed: false, cast: castFlag, store: toBoolean, output: same },
  date: { ...text, search: 'never', cast: parseDate, store: parseDate },
  time: { ...text, search: 'never', cast: parseTime, store: parseTime },
  datetime,
  timestamp: { ...datetime, output: (value) => (value instanceof Date ? String(value.getTime()) : value) },
  json,
  blocks: { ...json, store: (value) => (Array.isArray(value) ? value : null) },
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
  if (typeof value === 'number') return value;
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

/** The forms of dates and times in input, besides epoch milliseconds. */
const isoDate = /^(\d{4})-(\d{2})-(\d{2})/;
const isoTime = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?$/;
const isoDateTime =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const epochMilliseconds = /^-?\d{1,16}$/;
const maximumTime = 8.64e15;

/** Returns `YYYY-MM-DD`; longer strings are cut. Throws a ValidationError for anything that is not a calendar day. */
function parseDate(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value);
  const [day, year, month, date] = isoDate.exec(text) ?? [];
  if (day === undefined || Number(month) < 1 || Number(month) > 12 || Number(date) < 1 || Number(date) > 31)
    throw validationError('Invalid format, expected yyyy-MM-dd');
  if (!isCalendarDay(Number(year), Number(month), Number(date))) throw validationError('Invalid date');
  return day;
}

/** Returns `HH:mm:ss.SSS`. Throws a ValidationError. */
export function parseTime(value: unknown): string {
  if (typeof value !== 'string') throw validationError(`Expected a string, got a ${typeof value}`);
  const [, hours, minutes, seconds, fraction = ''] = isoTime.exec(value) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined)
    throw validationError('Invalid time format, expected HH:mm:ss.SSS');
  return `${hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`;
}

/** Reads an ISO date or date-time (in UTC if it has no zone) or epoch milliseconds. Throws a ValidationError. */
function parseDateTime(value: unknown): Date {
  const date = value instanceof Date ? value : fromText(String(value));
  if (date === null || !(Math.abs(date.getTime()) <= maximumTime)) throw badDateTime();
  return date;
}

const badDateTime = () => validationError('Invalid format, expected a timestamp or an ISO date');

function fromText(text: string): Date | null {
  const parts = isoDateTime.exec(text);
  if (parts) return fromParts(parts);
  return epochMilliseconds.test(text) ? new Date(Number(text)) : null;
}

function fromParts([
  ,
  year,
  month = '01',
  day = '01',
  hours = '00',
  minutes = '00',
  seconds = '00',
  fraction = '',
  zone = 'Z',
]: RegExpExecArray): Date | null {
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return null;
  if (Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const time = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hours),
    Number(minutes),
    Number(seconds),
    Number(milliseconds),
  );
  return new Date(time - zoneOffset(zone));
}

/** Returns the offset from UTC of `Z`, `+01`, `+0100` or `+01:00`, in milliseconds. */
function zoneOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
