import { isDecimal } from '../schema/decimals.js';
import { readJson, readNumber } from '../schema/stored-values.js';
import type { Stored } from '../schema/scalar-types.js';

/**
 * Levels of objects and lists in the text of JSON; deeper ones are left out. The database makes the same text by an expression,
 * which is sent as BSON, and BSON has at most 180 levels.
 */
export const jsonLevels = 12;

/** Characters that are escaped in the text of JSON. The backslash comes first, so that it does not escape the others. */
export const jsonEscapes = [
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\b', '\\b'],
  ['\f', '\\f'],
] as const;

/** The first and the last date that the database writes as text. */
export const firstWithText = new Date('0000-01-01T00:00:00.000Z');
export const lastWithText = new Date('9999-12-31T23:59:59.999Z');

/**
 * Returns the text of a stored value that text operators compare: JSON for JSON, otherwise the form in answers. Returns null if
 * the value does not fit its stored form. The value is not null.
 */
export const storedText = (value: unknown, stored: Stored): string | null => texts[stored](value);

function textOfNumber(value: unknown): string | null {
  const number = readNumber(value);
  return number === null ? null : String(isDecimal(value) ? number : value);
}

const texts: Readonly<Record<Stored, (value: unknown) => string | null>> = {
  text: (value) => (typeof value === 'string' ? value : null),
  number: textOfNumber,
  link: textOfNumber,
  date: (value) => (value instanceof Date && value >= firstWithText && value <= lastWithText ? value.toISOString() : null),
  boolean: (value) => (typeof value === 'boolean' ? String(value) : null),
  json: (value) => jsonText(readJson(value), jsonLevels),
  point: () => null, // no operator compares it
};

/** Returns the same as `JSON.stringify`, but leaves control characters without a letter escape as they are. */
function jsonText(value: unknown, levels: number): string {
  if (levels === 0) return '';
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item, levels - 1)).join(levels === 1 ? '' : ',')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${quoted(key)}:${jsonText(inner, levels - 1)}`)
    .join(',')}}`;
}

const quoted = (text: string): string => `"${jsonEscapes.reduce((done, [find, shown]) => done.replaceAll(find, shown), text)}"`;
