import type { ScalarType } from '../content-type.js';
import { numberText } from '../stored-values.js';

/** The type of an attribute, and the values of an enumeration. */
interface ConvertedType {
  readonly type: ScalarType;
  readonly enum: readonly string[];
}

/** A converted value in its stored form, or the reason why there is none. */
export type Conversion = { readonly value: unknown } | { readonly reason: string };

/** Converts a stored value of another type, which is not null. */
export type Convert = (value: unknown, to: ConvertedType) => Conversion;

export const convertedValue = (value: unknown): Conversion => ({ value });
export const conversionFailure = (reason: string): Conversion => ({ reason });

/** Converts a text to what a parser returns. `what` it is, is part of the reason if it throws. */
export function parsedValue(text: string, parse: (text: string) => unknown, what: string): Conversion {
  try {
    return convertedValue(parse(text));
  } catch {
    return conversionFailure(`${excerpt(text)} is not ${what}`);
  }
}

/** Returns the beginning of a value for messages. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(numberText(value) ?? value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
