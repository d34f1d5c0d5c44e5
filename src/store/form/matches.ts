import type { Document } from 'mongodb';
import type { AttributePlace } from '#model/schema/attribute-places.js';
import { type ContentType, uidsOf } from '#model/schema/content-type.js';

/** The filter of a command: values by document path, in the forms that the functions of this file return. */
export type Match = Document;

/** Matches documents that meet all matches. */
export const matchesAll = (...matches: readonly Match[]): Match => ({ $and: matches });

/** Matches documents that meet at least one of the matches. */
export const matchesAny = (...matches: readonly Match[]): Match => ({ $or: matches });

/** Matches documents that meet none of the matches. */
export const matchesNone = (...matches: readonly Match[]): Match => ({ $nor: matches });

/** Matches a value, or a list with an element, that is one of these. */
export const oneOf = (values: readonly unknown[]): Match => ({ $in: values });

/** Matches the uid of a type, also under another uid that stored links may have. */
export const uidOf = (type: Pick<ContentType, 'uid' | 'otherUid'>): unknown =>
  type.otherUid === undefined ? type.uid : oneOf(uidsOf(type));

/** Matches every value that is none of these. */
export const noneOf = (values: readonly unknown[]): Match => ({ $nin: values });

/** Matches exactly this value, even if it is an object with keys that look like operators. */
export const exactly = (value: unknown): Match => ({ $eq: value });

/** Matches every other value. */
export const otherThan = (value: unknown): Match => ({ $ne: value });

export const above = (value: unknown): Match => ({ $gt: value });
export const below = (value: unknown): Match => ({ $lt: value });
export const atLeast = (value: unknown): Match => ({ $gte: value });
export const atMost = (value: unknown): Match => ({ $lte: value });

/** Matches a value above the first and below the second one. */
export const between = (low: unknown, high: unknown): Match => ({ $gt: low, $lt: high });

/** Matches a field that does not exist; null is a value. */
export const absent: Match = { $exists: false };

/** Matches a value that is not a list. */
export const noList: Match = { $not: { $type: 'array' } };

/** Matches a list with an element that meets a match. */
export const withElement = (match: Match): Match => ({ $elemMatch: match });

/** Returns the regular expression that matches exactly a text. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Texts that contain another one. */
export const containing = (text: string): Match => ({ $regex: literally(text) });

/** Matches a text that begins with one of these words. */
export const startingWith = (...words: readonly string[]): Match => ({ $regex: `^(${words.map(literally).join('|')})` });

/** Returns a match for entries that have the component at the end of the steps, which meets one of some conditions on attributes. */
export const matchAt = (steps: AttributePlace['steps'], ...conditions: readonly Document[]): Match =>
  matchesAny(...conditions.map((condition) => matchOne(steps, condition)));

function matchOne([step, ...rest]: AttributePlace['steps'], condition: Document): Document {
  if (step === undefined) return condition;
  const { name, list, zone } = step;
  const inner = { ...(zone !== null && { __component: zone }), ...matchOne(rest, condition) };
  if (list) return { [name]: { $elemMatch: inner } };
  const below = Object.entries(inner).map(([key, value]) => [`${name}.${key}`, value as unknown]);
  return { [name]: { $ne: null }, ...(Object.fromEntries(below) as Document) };
}
