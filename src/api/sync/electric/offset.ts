import type { Step } from '../step.js';
import type { Position } from '../token.js';

/**
 * An offset is `<place>_<id>`. The id is that of the last entry of a first load. If the load is complete, it is 0, or `unfinished` in
 * an answer that has not told the client that it is up to date.
 */

const marks = 2n ** 30n;

/** Ids that are not positive are beyond this number. */
const negative = 2 ** 52;

/** Greater than any id. */
const unfinished = '9999999999999999';

/** Returns the number of a place in the log. It increases with the log, and contains the mark of the place. */
export const placeNumber = ({ seq, mark }: Position): string => String(BigInt(seq) * marks + BigInt(mark));

/** Returns the offset behind a step. */
export function writeOffset({ next, more }: Pick<Step, 'next' | 'more'>): string {
  const { after } = next;
  const complete = more ? unfinished : '0';
  const id = after === null ? complete : String(after > 0 ? after : negative - after);
  return `${placeNumber(next)}_${id}`;
}

export interface Offset {
  readonly position: Position;
  /** Whether the client was not told yet that it is up to date. */
  readonly isBehind: boolean;
}

/** Returns what an offset says; null if it is none. */
export function readOffset(offset: string): Offset | null {
  const [, place, id] = /^(\d{1,25})_(\d{1,16})$/.exec(offset) ?? [];
  if (place === undefined || id === undefined) return null;
  const [number, isComplete] = [BigInt(place), id === '0' || id === unfinished];
  const after = Number(id) < negative ? Number(id) : negative - Number(id);
  const position = { seq: Number(number / marks), mark: Number(number % marks), after: isComplete ? null : after };
  return { position, isBehind: id !== '0' };
}
