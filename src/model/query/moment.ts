import { validationError } from '#base/errors.js';
import type { ScalarType } from '../schema/content-type.js';
import { scalarTypes } from '../schema/scalar-types.js';

/** The operand of conditions on dates and times that means the current time. */
export const nowWord = '$now';

/** Milliseconds for which `$now` has one value, so that equal requests share plans, totals and reads. */
const granularity = 1_000;

/**
 * Returns the value of `$now` in epoch milliseconds: the end of the current second. So an entry that was just published meets
 * `{ publishedAt: { $lte: '$now' } }`.
 */
export function currentMoment(): number {
  const time = Date.now();
  return time - (time % granularity) + granularity - 1;
}

type Cast = (value: unknown, name: string) => unknown;

/**
 * Returns the function that casts the operands of a type. For dates and times, it casts `$now` to the value that `now` returns, in
 * UTC, and throws a ValidationError with the name of the attribute for other words that begin with `$`.
 */
export function castOperands(type: ScalarType, now: () => number): Cast {
  const { cast, now: form } = scalarTypes[type];
  if (form === undefined) return cast;
  return (value, name) => {
    if (value === nowWord) return cast(new Date(now()).toISOString().slice(...form), name);
    if (typeof value === 'string' && value.startsWith('$'))
      throw validationError(`Invalid value ${JSON.stringify(value)} for ${name}, expected a date or time, or ${nowWord}`);
    return cast(value, name);
  };
}
