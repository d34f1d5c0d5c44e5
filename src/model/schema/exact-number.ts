import { isSameDecimal } from './decimals.js';
import { numberText, readNumber } from './stored-values.js';

/** Returns a BSON number as a number; as text if a double does not hold it exactly. */
export function exactNumber(stored: unknown): number | string | null {
  const text = numberText(stored);
  if (text === null) return readNumber(stored);
  const number = Number(text);
  if (Number.isNaN(number)) return null;
  const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : isSameDecimal(text, String(number));
  return isExact ? number : text;
}
