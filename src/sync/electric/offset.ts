import type { Position } from '../token.js';

/** An offset is `<place>_<id>`. The id is that of the last entry of a first load; 0 if the load is complete. */

const marks = 2n ** 30n;

/** Ids that are not positive are beyond this number. */
const negative = 2 ** 52;

/** Returns the number of a place in the log. It increases with the log, and contains the mark of the place. */
export const placeNumber = ({ seq, mark }: Position): string => String(BigInt(seq) * marks + BigInt(mark));

export function writeOffset(position: Position): string {
  const { after } = position;
  const id = after === null ? 0 : after > 0 ? after : negative - after;
  return `${placeNumber(position)}_${String(id)}`;
}

/** Returns the position of an offset; null if it is none. */
export function readOffset(offset: string): Position | null {
  const [, place, id] = /^(\d{1,25})_(\d{1,16})$/.exec(offset) ?? [];
  if (place === undefined || id === undefined) return null;
  const [number, after] = [BigInt(place), Number(id)];
  const last = after === 0 ? null : after < negative ? after : negative - after;
  return { seq: Number(number / marks), mark: Number(number % marks), after: last };
}
