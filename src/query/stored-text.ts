import type { Stored } from '../schema/scalar-types.js';

/**
 * Levels of objects and lists that the text of JSON shows; what is below is left out. The database makes the same text by an expression,
 * which is sent as BSON, and that has 180 levels at most.
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

/** The text that operators on text compare a stored value by, which is not null: JSON for JSON, else what the answer shows. */
export function storedText(value: unknown, stored: Stored): string {
  if (stored === 'json') return jsonText(value, jsonLevels);
  return value instanceof Date ? value.toISOString() : String(value);
}

/** As `JSON.stringify` has it, but for control characters without a letter of their own, which stand for themselves. */
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
