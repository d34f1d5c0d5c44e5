import type { Document } from 'mongodb';
import type { Bucket } from '#model/query/aggregate/aggregation.js';
import type { BucketUnit } from '#model/query/aggregate/buckets.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import type { ScalarType } from '#model/schema/content-type.js';
import { compileHasText } from '../compile-text.js';

/** Returns an expression for the value at a path: null if there is none, or if it is none of its type. */
export function compileValue(path: string, type: ScalarType): Document {
  const value = `$${path}`;
  const { stored } = scalarTypes[type];
  return { $cond: [stored === 'text' ? isText(value) : compileHasText(value, stored), value, null] };
}

/** BSON orders values of all types; objects follow texts. */
const isText = (value: string): Document => ({ $and: [{ $gte: [value, ''] }, { $lt: [value, { $literal: {} }] }] });

/** The days between which a date has a year of four digits in every time zone. */
const [firstDay, lastDay] = [new Date('0000-01-02T00:00:00.000Z'), new Date('9999-12-30T23:59:59.999Z')];

/** Returns an expression for the part of a date that a bucket stands for, as text: `2026-Q4`. Days have no time zone. */
export function compileBucket(path: string, type: ScalarType, { unit, timeZone }: Bucket): Document {
  const value = `$${path}`;
  if (scalarTypes[type].stored === 'text') {
    const date = { $dateFromString: { dateString: value, format: '%Y-%m-%d', onError: null, onNull: null } };
    return { $let: { vars: { date }, in: compileUnit('$$date', unit, 'UTC') } };
  }
  const isInRange = { $and: [{ $gte: [value, firstDay] }, { $lte: [value, lastDay] }] };
  return { $cond: [isInRange, compileUnit(value, unit, timeZone), null] };
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
