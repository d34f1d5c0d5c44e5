import { Cron, type CronOptions } from 'croner';
import { isRecord, type Values } from '#base/values.js';

/** Returns the first time of a task after another time; null if there is none. */
export type NextTime = (after: Date) => Date | null;

/**
 * Returns the times of a rule, in all forms of node-schedule: a text of five or six fields, a date, an object of fields such as
 * `{ hour: 14, minute: 30 }`, or an object with such a `rule`. Throws an Error if it is none of them.
 */
export function timesOf(options: unknown): NextTime {
  const { rule, tz, start, end } = isRecord(options) && hasRule(options) ? options : { ...zoneOf(options), rule: options };
  const bounds: CronOptions = {
    ...(typeof tz === 'string' && { timezone: tz }),
    ...(start !== undefined && start !== null && { startAt: dateOf(start) }),
    ...(end !== undefined && end !== null && { stopAt: dateOf(end) }),
  };
  if (rule instanceof Date || typeof rule === 'number') return once(dateOf(rule));
  if (typeof rule === 'string') return timesOfText(rule, bounds);
  const fields = isRecord(rule) ? fieldNames.filter((name) => (rule[name] ?? null) !== null) : [];
  if (fields.length === 0) throw new Error('its options have no rule, such as "0 0 1 * * 1", a Date or { hour: 1, minute: 0 }');
  return timesOfPattern(patternOf(rule as Values), { ...bounds, mode: '7-part', domAndDow: true }); // it has fields
}

const hasRule = ({ rule }: Values): boolean => rule !== undefined && rule !== null;

/** Returns the time zone that a rule of fields has itself. */
const zoneOf = (rule: unknown): Values => (isRecord(rule) && !(rule instanceof Date) ? { tz: rule['tz'] } : {});

const once =
  (date: Date): NextTime =>
  (after) =>
    date > after ? date : null;

/** Returns the times of a text, which is also the text of a date. */
function timesOfText(rule: string, bounds: CronOptions): NextTime {
  try {
    return timesOfPattern(rule, { ...bounds, mode: '5-or-6-parts', sloppyRanges: true });
  } catch (error) {
    const date = new Date(rule);
    if (Number.isNaN(date.getTime()) || !/\d{4}/.test(rule)) throw error;
    return once(date);
  }
}

function timesOfPattern(pattern: string, options: CronOptions): NextTime {
  const cron = new Cron(pattern, { paused: true, ...options });
  cron.nextRun(); // fails for an unknown time zone
  return (after) => cron.nextRun(after);
}

/** The fields of a rule, in the order of a pattern. Months begin with 0. */
const fieldNames = ['second', 'minute', 'hour', 'date', 'month', 'dayOfWeek', 'year'] as const;

const patternOf = (rule: Values): string =>
  fieldNames.map((name) => fieldOf(rule[name] ?? (name === 'second' ? 0 : null), name)).join(' ');

function fieldOf(value: unknown, name: (typeof fieldNames)[number]): string {
  if (value === null) return '*';
  const numbers = [value].flat(Infinity).flatMap((one) => numbersOf(one, name));
  return numbers.map((one) => (name === 'month' ? one + 1 : one)).join();
}

/** Returns a number, or those of a Range of node-schedule, which a step other than 1 leaves without its end. */
function numbersOf(value: unknown, name: string): readonly number[] {
  const { start, end, step } = isRecord(value) ? value : { start: value, end: value, step: 1 };
  const [first, last, distance] = [Number(start), Number(end), Number(step ?? 1)];
  if (!Number.isInteger(first) || !Number.isInteger(last) || !(distance >= 1)) throw new Error(`its ${name} is no number`);
  const count = distance === 1 ? last - first + 1 : Math.ceil((last - first) / distance);
  return Array.from({ length: Math.min(Math.max(count, 0), 100) }, (_, index) => first + index * distance);
}

function dateOf(value: unknown): Date {
  const date = value instanceof Date ? value : new Date(value as string | number); // an invalid date for others
  if (Number.isNaN(date.getTime())) throw new Error(`${String(value)} is no date`);
  return date;
}
