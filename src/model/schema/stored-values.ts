import { validationError } from '#base/errors.js';
import { comparisonOf } from './collation.js';
import { compareNumbers, isDecimal } from './decimals.js';
import { isoText, isRecord, only, type Values } from '#base/values.js';

/**
 * Returns the value of an attribute for a stored value that is not null; null if the stored value does not fit the attribute. Never
 * throws, because other programs may store any BSON value, and a model may change the type of an attribute.
 */
type Read = (stored: unknown) => unknown;

export const readText: Read = (stored) => (typeof stored === 'string' ? stored : null);

/** Converts `true` and `1`, `false` and `0`, as boolean, string or number, in any case; returns null for other values. */
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object') return null;
  if (/^(true|1)$/i.test(String(value))) return true;
  return /^(false|0)$/i.test(String(value)) ? false : null;
}

export const readBoolean: Read = (stored) => (typeof stored === 'boolean' ? stored : null);

/** Reads every BSON number that is finite. Doubles have 17 digits, so that decimals with more are rounded. */
export function readNumber(stored: unknown): number | null {
  const number = typeof stored === 'number' ? stored : Number(numberText(stored) ?? NaN);
  return Number.isFinite(number) ? number : null;
}

/** Reads every BSON number that is an integer, and that a double holds exactly. */
export function readInteger(stored: unknown): number | null {
  if (typeof stored === 'number') return Number.isInteger(stored) ? stored : null;
  const integer = exactInteger(stored);
  return integer !== null && BigInt(Number(integer)) === integer ? Number(integer) : null;
}

/** Reads every BSON number that is an integer of 64 bits, as digits. */
export function readBigInteger(stored: unknown): string | null {
  const integer = exactInteger(stored);
  return integer === null ? null : String(integer);
}

function exactInteger(stored: unknown): bigint | null {
  if (typeof stored === 'bigint') return stored;
  const text = typeof stored === 'number' ? String(stored) : (numberText(stored) ?? '');
  const integer = /^-?\d{1,19}$/.test(text) ? BigInt(text) : wholeNumber(Number(text || NaN));
  return integer !== null && BigInt.asIntN(64, integer) === integer ? integer : null;
}

/** Returns the integer in a text such as `12.0` or `1.2E+4`. */
const wholeNumber = (number: number): bigint | null => (Number.isSafeInteger(number) ? BigInt(number) : null);

const numberTypes: ReadonlySet<unknown> = new Set(['Long', 'Int32', 'Double', 'Decimal128']);

/** Returns the text of a number that the driver reads as an object, such as a 64-bit integer; null for other values. */
export const numberText = (stored: unknown): string | null =>
  typeof stored === 'bigint' || (isRecord(stored) && numberTypes.has(stored['_bsontype'])) ? String(stored) : null;

const isoDay = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a calendar day, `YYYY-MM-DD`. */
export function readDay(stored: unknown): string | null {
  if (typeof stored !== 'string' || !isoDay.test(stored)) return null;
  const [year, month, day] = [stored.slice(0, 4), stored.slice(5, 7), stored.slice(8)].map(Number);
  return isCalendarDay(year ?? NaN, month ?? NaN, day ?? NaN) ? stored : null;
}

export const readTime: Read = (stored) => (typeof stored === 'string' && isoTime.test(stored) ? stored : null);

const isInstant = (stored: unknown): stored is Date => stored instanceof Date && !Number.isNaN(stored.getTime());

/** Reads a date as an ISO string. Dates of BSON that JavaScript cannot represent do not fit. */
export const readInstant: Read = (stored) => (isInstant(stored) ? isoText(stored) : null);

/** Reads a date as epoch milliseconds. */
export const readTimestamp: Read = (stored) => (isInstant(stored) ? String(stored.getTime()) : null);

/** Reads any value as JSON. BSON values that JSON lacks become numbers or strings if they have such a form, otherwise null. */
export function readJson(stored: unknown): unknown {
  return isPlain(stored) ? stored : plainJson(stored);
}

export const readList: Read = (stored) => (Array.isArray(stored) ? readJson(stored) : null);

/** Returns whether a value has no part that JSON lacks. Almost all have none, so that they are not copied. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (Array.isArray(value)) return value.every(isPlain);
  if (isForeign(value) || value instanceof Date) return false;
  // Twice as fast as with a list of the values.
  for (const key in value) if (!isPlain((value as Values)[key])) return false;
  return true;
}

/** Returns whether an object is a value of BSON that JSON does not have, apart from dates. */
export const isForeign = (value: object): boolean => '_bsontype' in value || value instanceof RegExp || ArrayBuffer.isView(value);

function plainJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' || typeof value === 'boolean' ? value : readNumber(value);
  if (Array.isArray(value)) return value.map(plainJson);
  if (value instanceof Date) return readInstant(value);
  if (!isForeign(value)) return plainObject(value as Values);
  return '_bsontype' in value && value._bsontype === 'ObjectId' ? String(value as unknown) : readNumber(value);
}

const plainObject = (value: Values): unknown =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainJson(inner)]));

/** Returns the ids that a document stores for a relation, as one id or a list. Other values are left out. */
export const storedIds = (stored: unknown): readonly number[] =>
  Array.isArray(stored) ? only(stored, isNumber) : isNumber(stored) ? [stored] : none;

const none: readonly number[] = [];
const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * Returns the value itself; a bigint or number for numbers that the driver reads as objects. A finite decimal number with a fraction stays
 * as it is, because no double may be exactly the same.
 */
export function plainValue(value: unknown): unknown {
  const text = numberText(value);
  if (text === null) return value;
  if (/^-?\d+$/.test(text)) return BigInt(text);
  const number = Number(text);
  return isDecimal(value) && Number.isFinite(number) ? value : number;
}

/**
 * Compares two values of an attribute as the database does, strings in a collation, or by their bytes without one. Returns a negative
 * number, 0 or a positive one; NaN if the values are of different types.
 */
export function compareStored(left: unknown, right: unknown, collation: string | null = null): number {
  if (typeof left === 'string' && typeof right === 'string')
    return collation === null ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : comparisonOf(collation)(left, right);
  const [a, b] = [plainValue(left), plainValue(right)] as [number, number]; // numbers, dates and booleans compare as numbers
  if (kindOf(a) !== kindOf(b)) return NaN;
  if (isDecimal(a) || isDecimal(b)) return compareNumbers(a, b);
  return a < b ? -1 : a > b ? 1 : a >= b ? 0 : NaN;
}

/** Returns the type by which a plain value is compared. */
export const kindOf = (value: unknown): string =>
  typeof value === 'bigint' || isDecimal(value) ? 'number' : value instanceof Date ? 'date' : typeof value;

/** Returns the first moment of a day in UTC. `Date.UTC` would take the years 0 to 99 for those of the 20th century. */
function utcDay(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

/** Returns whether the calendar has a day; months count from 1. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = utcDay(year, month, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** The forms of dates and times in input, besides epoch milliseconds. */
const isoDate = /^(\d{4})-(\d{2})-(\d{2})/;
/** A time of day: hours, minutes, seconds and their fraction. */
const isoTime = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?$/;
const isoDateTime =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const epochMilliseconds = /^-?\d{1,16}$/;
const maximumTime = 8.64e15;

/** Returns `YYYY-MM-DD`; longer strings are cut. Throws a ValidationError for anything that is not a calendar day. */
export function parseDate(value: unknown): string {
  const text = value instanceof Date ? parseDateTime(value).toISOString() : String(value);
  const [day, year, month, date] = isoDate.exec(text) ?? [];
  if (day === undefined || Number(month) < 1 || Number(month) > 12 || Number(date) < 1 || Number(date) > 31)
    throw validationError('Invalid format, expected yyyy-MM-dd');
  if (!isCalendarDay(Number(year), Number(month), Number(date))) throw validationError('Invalid date');
  return day;
}

/** Returns `HH:mm:ss.SSS`, of a date its time in UTC. Throws a ValidationError. */
export function parseTime(value: unknown): string {
  if (value instanceof Date) return parseDateTime(value).toISOString().slice('YYYY-MM-DDT'.length, -1);
  if (typeof value !== 'string') throw validationError(`Expected a string, got a ${typeof value}`);
  const [, hours, minutes, seconds, fraction = ''] = isoTime.exec(value) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined)
    throw validationError('Invalid time format, expected HH:mm:ss.SSS');
  return `${hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`;
}

/** Reads an ISO date or date-time (in UTC if it has no zone) or epoch milliseconds. Throws a ValidationError. */
export function parseDateTime(value: unknown): Date {
  const date = value instanceof Date ? value : fromText(String(value));
  if (date === null || !(Math.abs(date.getTime()) <= maximumTime)) throw badDateTime();
  return date;
}

const badDateTime = () => validationError('Invalid format, expected a timestamp or an ISO date');

function fromText(text: string): Date | null {
  const parts = isoDateTime.exec(text);
  if (parts === null) return epochMilliseconds.test(text) ? new Date(Number(text)) : null;
  const [, year, month = '01', day = '01', hours = '00', minutes = '00', seconds = '00', fraction = '', zone = 'Z'] = parts;
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return null;
  if (Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const time = utcDay(Number(year), Number(month), Number(day));
  time.setUTCHours(Number(hours), Number(minutes), Number(seconds), Number(milliseconds));
  const moment = new Date(time.getTime() - zoneOffset(zone));
  // A year of five digits, or one before 0, could not be sent back in the form in which it is answered.
  return moment.getUTCFullYear() < 0 || moment.getUTCFullYear() > 9999 ? null : moment;
}

/** Returns the offset from UTC of `Z`, `+01`, `+0100` or `+01:00`, in milliseconds. */
function zoneOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}
