import type { Document } from 'mongodb';

/** The filter of a command: values by document path, in the forms that this file makes. */
export type Match = Document;

/** Documents that meet all matches. */
export const matchesAll = (...matches: readonly Match[]): Match => ({ $and: matches });

/** Documents that meet one of the matches at least. */
export const matchesAny = (...matches: readonly Match[]): Match => ({ $or: matches });

/** Documents that meet none of the matches. */
export const matchesNone = (...matches: readonly Match[]): Match => ({ $nor: matches });

/** A value, or an element of a list, that is one of these. */
export const oneOf = (values: readonly unknown[]): Match => ({ $in: values });

/** A value that is another one. */
export const otherThan = (value: unknown): Match => ({ $ne: value });

export const above = (value: unknown): Match => ({ $gt: value });

/** A value above the first and below the second one. */
export const between = (low: unknown, high: unknown): Match => ({ $gt: low, $lt: high });

/** No value at all, not even null. */
export const absent: Match = { $exists: false };

/** A value that is no list. */
export const noList: Match = { $not: { $type: 'array' } };

/** A list with an element that meets a match. */
export const withElement = (match: Match): Match => ({ $elemMatch: match });

/** A text that begins with one of these words of letters, digits, hyphens and underscores. */
export const startingWith = (...words: readonly string[]): Match => ({ $regex: `^(${words.join('|')})` });
