import { validationError } from '#base/errors.js';

/** The parts of dates by which entries are grouped. */
export const bucketUnits = ['year', 'quarter', 'month', 'week', 'day', 'hour'] as const;

export type BucketUnit = (typeof bucketUnits)[number];

export const isBucketUnit = (word: string): word is BucketUnit => (bucketUnits as readonly string[]).includes(word);

/** The units as messages list them. */
export const unitNames = bucketUnits.join(', ');

const offset = /^[+-](0\d|1[0-4]):?([0-5]\d)$/;

/**
 * Returns the time zone of the parts of dates among some keys, which the database knows: a name such as `Europe/Paris`, or an offset such
 * as `+02:00`; UTC for undefined. Throws a ValidationError, also if no key is a part of a date.
 */
export function parseTimeZone(value: unknown, keys: readonly { readonly unit: BucketUnit | null }[]): string {
  if (value === undefined) return 'UTC';
  if (typeof value !== 'string' || !(offset.test(value) || isNamedZone(value)))
    throw validationError('Invalid parameter timezone: expected a name such as Europe/Paris, or an offset such as +02:00');
  if (keys.every(({ unit }) => unit === null))
    throw validationError('Invalid parameter timezone: only parts of dates, such as publishedAt:month, have a time zone');
  return value;
}

/** The names of areas and of UTC. Abbreviations such as `EST`, which are ambiguous, are not among them. */
const zoneName = /^(?:UTC|GMT|[A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+){1,2})$/;

function isNamedZone(name: string): boolean {
  if (!zoneName.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
