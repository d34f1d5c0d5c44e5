import type { Random } from '../random.js';

/** A document of the data set: an id, values, and the times of writing. */
export interface MadeEntry extends Readonly<Record<string, unknown>> {
  readonly _id: number;
}

const start = Date.UTC(2020, 0, 1);
const minute = 60_000;

/** When an entry was written: they were written a minute apart, in the order of their ids. */
export const writtenAt = (id: number): Date => new Date(start + id * minute);

/** An entry as the product stores it. */
export function makeEntry(id: number, values: object): MadeEntry {
  const written = writtenAt(id);
  return { _id: id, ...values, createdAt: written, updatedAt: written };
}

/** When an entry was published: within the minute of its writing, no two at the same time; a tenth are drafts. */
export const makePublishedAt = (id: number, random: Random): Date | null =>
  random.next() < 0.1 ? null : new Date(start + id * minute + random.below(minute));
