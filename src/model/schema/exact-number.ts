import { numberText, readNumber } from './stored-values.js';

/** Returns a BSON number as a number; as text if a double does not hold it exactly. */
export function exactNumber(stored: unknown): number | string | null {
  const text = numberText(stored);
  if (text === null) return readNumber(stored);
  const number = Number(text);
  if (Number.isNaN(number)) return null;
  const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : decimalOf(text) === decimalOf(String(number));
  return isExact ? number : text;
}

/** Returns the digits and the exponent of a decimal number, so that equal numbers have the same text. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return short === '' ? '0' : `${sign}${short}e${String(Number(exponent) - fraction.length + digits.length - short.length)}`;
}
