import type { Document } from 'mongodb';
import type { Values } from '#base/values.js';
import type { Match } from '../form/matches.js';

/** The changes of a document, by document path. */
export interface Change {
  readonly set?: Values;
  /** Set only if the write creates the document. */
  readonly initial?: Values;
  readonly unset?: readonly string[];
  /** Added to numbers. */
  readonly increase?: Readonly<Record<string, number>>;
  /** Set if the stored value is less. */
  readonly raise?: Values;
  /** Added to lists that do not contain the value. */
  readonly add?: Values;
  readonly append?: Values;
  /** Removed from lists: a value, or all elements that meet a match. */
  readonly take?: Values;
}

const operators: Readonly<Record<keyof Change, string>> = {
  set: '$set',
  initial: '$setOnInsert',
  unset: '$unset',
  increase: '$inc',
  raise: '$max',
  add: '$addToSet',
  append: '$push',
  take: '$pull',
};

/** Returns the update document of a change. */
export const compileChange = (change: Change): Document =>
  Object.fromEntries(
    Object.entries(change).map(([kind, values]: [string, Values | readonly string[]]) => [
      operators[kind as keyof Change], // the keys of a change
      Array.isArray(values) ? Object.fromEntries(values.map((path: string) => [path, ''])) : values,
    ]),
  );

/** Returns an operation of `bulkWrite` that changes the first document of a match. */
export const changeOne = (filter: Match, change: Change): Document => ({ updateOne: { filter, update: compileChange(change) } });

/** Returns an operation of `bulkWrite` that changes all documents of a match. */
export const changeMany = (filter: Match, change: Change): Document => ({
  updateMany: { filter, update: compileChange(change) },
});

/** Returns an operation of `bulkWrite` that creates a document unless one matches. */
export const insertIfAbsent = (filter: Match, initial: Values): Document => ({
  updateOne: { filter, update: compileChange({ initial }), upsert: true },
});
