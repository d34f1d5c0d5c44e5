import type { Document } from 'mongodb';
import type { Bucket } from '#model/query/aggregate/aggregation.js';
import type { BucketUnit } from '#model/query/aggregate/buckets.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import type { ScalarType } from '#model/schema/content-type.js';
import { leastForm } from '../../form/decimal-forms.js';
import { firstWithText, lastWithText } from '#model/query/stored-text.js';

/** Returns an expression for the value at a path: null if there is none, or if it is none of its type. */
export function compileValue(path: string, type: ScalarType): Document {
  const value = `$${path}`;
  return { $cond: [{ $and: compileFits(value, scalarTypes[type].fitting) }, value, null] };
}

/** Returns an expression for the value that answers show, by which equal values are found: a decimal number is rounded to a double. */
export function compileShown(path: string, type: ScalarType): Document {
  const value = compileValue(path, type);
  if (scalarTypes[type].fitting !== 'number') return value;
  const double = { $convert: { input: '$$value', to: 'double', onError: 0 } };
  return { $let: { vars: { value }, in: { $cond: [{ $eq: [{ $type: '$$value' }, 'decimal'] }, double, '$$value'] } } };
}

/** Returns the expressions that hold for the values that answers show. BSON orders values of all types, so that none fails. */
function compileFits(value: string, fitting: Fitting): Document[] {
  if (typeof fitting === 'object') {
    if ('pattern' in fitting)
      return [...ranges.string(value), { $regexMatch: { input: value, regex: { $literal: fitting.pattern } } }];
    return ranges[fitting.bson](value);
  }
  if (fitting === 'all') return [{ $gt: [value, null] }];
  const finite = [{ $gte: [value, -Number.MAX_VALUE] }, { $lte: [value, Number.MAX_VALUE] }];
  return fitting === 'number' ? finite : [...finite, { $eq: [value, { $trunc: value }] }];
}

type Fitting = (typeof scalarTypes)[ScalarType]['fitting'];
type BsonType = Extract<Fitting, { readonly bson: string }>['bson'];

/** The values of a BSON type: they are greater than those of the types before it, and less than those after it. */
const ranges: Readonly<Record<BsonType, (value: string) => Document[]>> = {
  string: (value) => [{ $gte: [value, ''] }, { $lt: [value, { $literal: {} }] }],
  bool: (value) => [{ $gte: [value, false] }, { $lte: [value, true] }],
  date: (value) => [{ $gte: [value, firstWithText] }, { $lte: [value, lastWithText] }],
  array: (value) => [{ $isArray: value }],
  object: (value) => [{ $eq: [{ $type: value }, 'object'] }],
};

/** Returns an expression for the index of the last range that a value is in; null if it is below all. Null is less than all bounds. */
export function compileRange(value: Document, bounds: readonly unknown[]): Document {
  const branches = bounds
    .map((bound, then) => ({ case: { $gte: ['$$value', { $literal: leastForm(bound) }] }, then: { $literal: then } }))
    .reverse();
  return { $let: { vars: { value }, in: { $switch: { branches, default: null } } } };
}

/** The days between which a date, and its ISO week, have a year of four digits in every time zone. */
const [firstDay, lastDay] = [new Date('0000-01-05T00:00:00.000Z'), new Date('9999-12-30T23:59:59.999Z')];

/** Returns an expression for the part of a date that a bucket stands for, as text: `2026-Q4`. Days have no time zone. */
export function compileBucket(path: string, type: ScalarType, { unit, timeZone }: Bucket): Document {
  const value = `$${path}`;
  if (scalarTypes[type].stored === 'text') {
    const date = { $dateFromString: { dateString: value, format: '%Y-%m-%d', onError: null, onNull: null } };
    return { $let: { vars: { date }, in: compileRanged('$$date', unit, 'UTC') } };
  }
  return compileRanged(value, unit, timeZone);
}

function compileRanged(date: string, unit: BucketUnit, timeZone: string): Document {
  const isInRange = { $and: [{ $gte: [date, firstDay] }, { $lte: [date, lastDay] }] };
  return { $cond: [isInRange, compileUnit(date, unit, timeZone), null] };
}

/** The formats of the parts of a date, as `$dateToString` writes them. The week is that of ISO 8601. */
const formats: Readonly<Record<Exclude<BucketUnit, 'quarter'>, string>> = {
  year: '%Y',
  month: '%Y-%m',
  week: '%G-W%V',
  day: '%Y-%m-%d',
  hour: '%Y-%m-%dT%H',
};

function compileUnit(date: string, unit: BucketUnit, timezone: string): Document {
  const format = formats[unit === 'quarter' ? 'year' : unit];
  const text = { $dateToString: { date, format, timezone, onNull: null } };
  if (unit !== 'quarter') return text;
  return { $concat: [text, '-Q', { $toString: { $ceil: { $divide: [{ $month: { date, timezone } }, 3] } } }] };
}
