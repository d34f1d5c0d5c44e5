import { validationError } from '../errors.js';

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
export const isoTime = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?$/;
const isoDateTime =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const epochMilliseconds = /^-?\d{1,16}$/;
const maximumTime = 8.64e15;

/** Returns `YYYY-MM-DD`; longer strings are cut. Throws a ValidationError for anything that is not a calendar day. */
export function parseDate(value: unknown): string {
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
