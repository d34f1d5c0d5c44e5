import { messageOf } from '#base/errors.js';
import { parseDate, parseDateTime, parseTime, readDay, readInstant, readTime, readTimestamp } from '../stored-values.js';
import { convertedValue, conversionFailure, parsedValue, excerpt } from './conversions.js';
import type { Check, ScalarRule } from './rule.js';

/** Returns the check of values that must be a date or time. The message of the parser does not name the attribute. */
const checkBy =
  (parse: (value: unknown) => unknown): Check =>
  (value, _attribute, path) => {
    try {
      parse(value);
      return [];
    } catch (error) {
      return [`${path}: ${messageOf(error)}`];
    }
  };

/** Returns what dates and times have in common, by their parser. */
const parsedBy = (parse: (value: unknown) => unknown) =>
  ({ search: 'never', uniqueAllowed: true, cast: parse, store: parse, check: checkBy(parse) }) as const;

const date: ScalarRule = {
  ...parsedBy(parseDate),
  stored: 'text',
  shardKey: true,
  now: [0, 10],
  output: readDay,
  fitting: { pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
  convert: (value) => {
    const day = value instanceof Date ? value.toISOString().slice(0, 10) : value;
    return typeof day === 'string'
      ? parsedValue(day.trim(), parseDate, 'a date')
      : conversionFailure(`${excerpt(value)} is not a date`);
  },
  graphql: 'Date',
  schema: { answer: { type: 'string', format: 'date' } },
  column: 'date',
  panel: { width: 4, sorts: true, listed: true },
};

const time: ScalarRule = {
  ...parsedBy(parseTime),
  stored: 'text',
  now: [11, 23],
  output: readTime,
  fitting: { pattern: '^\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?$' },
  completeDefault: (initial) => (typeof initial === 'string' && /^\d{2}:\d{2}$/.test(initial) ? `${initial}:00` : initial),
  graphql: 'Time',
  schema: { answer: { type: 'string', description: 'A time such as 14:30:00.000' } },
  column: 'time',
  panel: { width: 4, sorts: true, listed: true },
};

const timestamp: ScalarRule = {
  ...parsedBy(parseDateTime),
  stored: 'date',
  shardKey: true,
  now: [0, 24],
  output: readTimestamp,
  fitting: { bson: 'date' },
  graphql: 'DateTime',
  schema: {
    answer: { type: 'string', description: 'Milliseconds since 1970' },
    input: { type: ['string', 'integer'] },
  },
  column: 'timestamptz',
  panel: { width: 6, sorts: true, listed: true },
};

const datetime: ScalarRule = {
  ...timestamp,
  output: readInstant,
  convert: (value) => {
    if (value instanceof Date) return convertedValue(value);
    return typeof value === 'string' && /^\d{4}-/.test(value.trim())
      ? parsedValue(value.trim(), parseDateTime, 'a date and time')
      : conversionFailure(`${excerpt(value)} is not a date and time`);
  },
  schema: { answer: { type: 'string', format: 'date-time' } },
};

export const moments = { date, time, datetime, timestamp } as const;
