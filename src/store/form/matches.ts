import type { Document } from 'mongodb';
import type { AttributePlace } from '#model/schema/attribute-places.js';
import { type ContentType, uidsOf } from '#model/schema/content-type.js';
import { withDecimals } from './decimal-forms.js';

/** The filter of a command: values by document path, in the forms that the functions of this file return. */
export type Match = Document;

/** Matches documents that meet all matches. */
export const matchesAll = (...matches: readonly Match[]): Match => ({ $and: matches });

/** Matches documents that meet at least one of the matches. */
export const matchesAny = (...matches: readonly Match[]): Match => ({ $or: matches });

/** Matches documents that meet none of the matches. */
export const matchesNone = (...matches: readonly Match[]): Match => ({ $nor: matches });

/** Returns the regular expression that matches exactly a text. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Matches of a value: `{ expiresAt: is.below(now) }`. */
export const is = {
  /** A value, or a list with an element, that is one of these. */
  oneOf: (values: readonly unknown[]): Match => ({ $in: values }),
  /** Every value that is none of these. */
  noneOf: (values: readonly unknown[]): Match => ({ $nin: values }),
  /** Exactly this value, even if it is an object with keys that look like operators. */
  exactly: (value: unknown): Match => ({ $eq: value }),
  /** Every stored value that answers show as this one: a number is stored as a double or with decimal digits. */
  shownAs: (value: unknown): Match => withDecimals({ $eq: value }),
  /** Every other value. */
  otherThan: (value: unknown): Match => ({ $ne: value }),
  above: (value: unknown): Match => ({ $gt: value }),
  below: (value: unknown): Match => ({ $lt: value }),
  atLeast: (value: unknown): Match => ({ $gte: value }),
  atMost: (value: unknown): Match => ({ $lte: value }),
  /** A value above the first and below the second one. */
  between: (low: unknown, high: unknown): Match => ({ $gt: low, $lt: high }),
  /** A field that does not exist; null is a value. */
  absent: { $exists: false },
  /** A field that exists, also if it is null. */
  present: { $exists: true },
  /** A value that is not a list. */
  noList: { $not: { $type: 'array' } },
  /** A list with an element that meets a match. */
  withElement: (match: Match): Match => ({ $elemMatch: match }),
  /** Texts that contain another one. */
  containing: (text: string): Match => ({ $regex: literally(text) }),
  /** A text that begins with one of these words. */
  startingWith: (...words: readonly string[]): Match => ({ $regex: `^(${words.map(literally).join('|')})` }),
};

/** Matches the uid of a type, also under another uid that stored links may have. */
export const uidOf = (type: Pick<ContentType, 'uid' | 'otherUid'>): unknown =>
  type.otherUid === undefined ? type.uid : is.oneOf(uidsOf(type));

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
