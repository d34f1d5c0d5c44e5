import { BSONRegExp, type Document } from 'mongodb';
import { validationError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { textPattern } from '#model/query/conditions.js';
import { compileAll, nothing } from './compile-condition.js';

/**
 * Returns a match that documents meet in a command with a collation if they meet the given one without. A collation applies to all
 * comparisons of texts in a command, which this replaces by patterns: they never depend on it, and the server still finds texts that
 * are equal, or that begin alike, by an index. Comparisons that are implied stay, for indexes with the collation.
 */
export function withoutCollation(match: Document): Document {
  return holdsText(match) ? compileAll(Object.entries(match).flatMap(([key, test]) => comparePart(key, test))) : match;
}

/** Does the same for the stages of a pipeline, with those inside of lookups. */
export const stagesWithoutCollation = (stages: readonly Document[]): Document[] => stages.map(compareInStage);

function compareInStage(stage: Document): Document {
  if ('$match' in stage) return { $match: withoutCollation(stage['$match'] as Document) };
  const [[name, value] = ['', null]] = Object.entries(stage) as [string, Document | null][];
  if (name !== '$lookup' || value === null || !Array.isArray(value['pipeline'])) return stage;
  return { $lookup: { ...value, pipeline: stagesWithoutCollation(value['pipeline'] as readonly Document[]) } };
}

/** Returns whether a part of a match has a text. */
const holdsText = (part: unknown): boolean =>
  typeof part === 'string' || (Array.isArray(part) ? part : isRecord(part) ? Object.values(part) : []).some(holdsText);

/** Returns the matches that together replace a part of a match. */
function comparePart(key: string, test: unknown): readonly Document[] {
  if (key === '$and' || key === '$or' || key === '$nor') return [{ [key]: (test as readonly Document[]).map(withoutCollation) }];
  if (key === '$expr') return [{ $expr: compareInExpression(test) }];
  if (key.startsWith('$') || !holdsText(test)) return [{ [key]: test }];
  return compareField(key, isOperators(test) ? test : { $eq: test });
}

const isOperators = (test: unknown): test is Document =>
  isRecord(test) && !('_bsontype' in test) && Object.keys(test).some((key) => key.startsWith('$'));

function compareField(path: string, test: Document): readonly Document[] {
  const parts = Object.entries(test).map(([name, operand]) => [name, operand, compareBy[name]?.(operand, path) ?? null] as const);
  const kept = Object.fromEntries(parts.flatMap(([name, operand, own]) => (own === null ? [[name, operand as unknown]] : [])));
  return [...(Object.keys(kept).length > 0 ? [{ [path]: kept }] : []), ...parts.flatMap(([, , own]) => own ?? [])];
}

/** Returns the matches that replace an operator on a path; null if it does not compare texts. */
type Replace = (operand: unknown, path: string) => readonly Document[] | null;

const isText = (operand: unknown): operand is string => typeof operand === 'string';

const byRange =
  (isLess: boolean, isEqual: boolean): Replace =>
  (operand, path) => {
    if (!isText(operand) || (operand === '' && !isLess && isEqual)) return null; // any text, in all collations
    const source = rangePattern(operand, isLess, isEqual);
    return [source === null ? nothing : { [path]: { $regex: source } }];
  };

/** Returns a list with patterns in place of its texts; null if it has none. */
const patternsIn = (operand: unknown): unknown[] | null =>
  Array.isArray(operand) && operand.some(isText)
    ? operand.map((item: unknown) => (isText(item) ? new BSONRegExp(equalPattern(item)) : item))
    : null;

const compareBy: Readonly<Record<string, Replace>> = {
  $eq: (operand, path) => (isText(operand) ? [{ [path]: { $eq: operand, $regex: equalPattern(operand) } }] : null),
  $ne: (operand, path) => (isText(operand) ? [{ [path]: { $not: { $regex: equalPattern(operand) } } }] : null),
  $in: (operand, path) => {
    const patterns = patternsIn(operand);
    return patterns && [{ [path]: { $in: operand } }, { [path]: { $in: patterns } }];
  },
  $nin: (operand, path) => {
    const patterns = patternsIn(operand);
    return patterns && [{ [path]: { $nin: patterns } }];
  },
  $lt: byRange(true, false),
  $lte: byRange(true, true),
  $gt: byRange(false, false),
  $gte: byRange(false, true),
  $not: (operand, path) =>
    isOperators(operand) && holdsText(operand) && !('$regex' in operand) && !('$type' in operand)
      ? [{ $nor: [compileAll(compareField(path, operand))] }]
      : null,
  $elemMatch: (operand, path) =>
    isOperators(operand) && !('$and' in operand || '$or' in operand || '$nor' in operand)
      ? null // values, which are ids
      : [{ [path]: { $elemMatch: withoutCollation(operand as Document) } }],
};

/** Maximum numbers of characters of texts that are compared for equality and by their order. Patterns of the database are bounded. */
const mostCharacters = { equal: 8_000, ordered: 200 };

/** Returns the characters of a text. Throws a ValidationError if there are more than a maximum. */
function charactersOf(text: string, most: number): readonly string[] {
  const characters = text.length > 2 * most ? [] : [...text.toWellFormed()];
  if (text.length <= 2 * most && characters.length <= most) return characters;
  throw validationError(
    `Invalid parameter sort: beside an attribute with a collation, a text in a filter may have ${String(mostCharacters.equal)} characters, ` +
      `and ${String(mostCharacters.ordered)} if it is compared by $lt, $lte, $gt, $gte or $between`,
  );
}

const equalPattern = (text: string): string => textPattern('eqi', charactersOf(text, mostCharacters.equal).join('')).source;

/**
 * Returns the source of the pattern of all texts on one side of another one, by code points; null if there are none. There is a group
 * for each character, within that of the one before it.
 */
function rangePattern(text: string, isLess: boolean, isEqual: boolean): string | null {
  const points = charactersOf(text, mostCharacters.ordered).map((character) => character.codePointAt(0) ?? 0);
  const whole = isLess ? (isEqual ? end : null) : isEqual ? '' : '[\\s\\S]';
  const inner = points.reduceRight<string | null>((behind, point) => {
    const beside = isLess ? range(0, before(point)) : range(after(point), lastPoint);
    const branches = [...(isLess ? [end] : []), beside, behind === null ? null : `${literal(point)}${behind}`];
    return `(?:${branches.filter((branch) => branch !== null).join('|')})`;
  }, whole);
  return inner === null ? null : `^${inner}`;
}

const end = '(?!\\n)$';
const lastPoint = 0x10ffff;

/** Returns the code points around one, without those of surrogates, which no text has. */
const before = (point: number): number => (point === 0xe000 ? 0xd7ff : point - 1);
const after = (point: number): number => (point === 0xd7ff ? 0xe000 : point + 1);

const literal = (point: number): string => {
  const character = String.fromCodePoint(point);
  return /^[A-Za-z0-9 ]$/.test(character) ? character : hex(point);
};

const range = (first: number, last: number): string | null => (first > last ? null : `[${hex(first)}-${hex(last)}]`);
const hex = (point: number): string => `\\x{${point.toString(16)}}`;

/** Replaces the comparisons of an expression with literal texts. A value of another type does not meet them. */
function compareInExpression(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(compareInExpression);
  if (!isRecord(part) || '_bsontype' in part || '$literal' in part || part instanceof Date) return part;
  const [[name, operands] = ['', null]] = Object.entries(part);
  const replaced = Array.isArray(operands) ? compareLiteral(name, operands[0], operands[1]) : null;
  return replaced ?? Object.fromEntries(Object.entries(part).map(([key, value]) => [key, compareInExpression(value)]));
}

function compareLiteral(name: string, value: unknown, operand: unknown): Document | null {
  const literal: unknown = isRecord(operand) && '$literal' in operand ? operand['$literal'] : null;
  if (name === '$in' && Array.isArray(literal)) return { $or: literal.map((item: unknown) => compareItem(value, item)) };
  const pattern = isText(literal) ? expressionPatterns[name]?.(literal) : undefined;
  if (pattern === undefined) return null;
  const matches = { $regexMatch: { input: value, regex: { $literal: pattern ?? nowhere } } };
  return { $cond: [{ $eq: [{ $type: value }, 'string'] }, matches, false] };
}

const compareItem = (value: unknown, item: unknown): Document =>
  compareLiteral('$eq', value, { $literal: item }) ?? { $eq: [value, { $literal: item }] };

/** A pattern that no text matches. */
const nowhere = '(?!)';

const expressionPatterns: Readonly<Record<string, (text: string) => string | null>> = {
  $eq: equalPattern,
  $lt: (text) => rangePattern(text, true, false),
  $lte: (text) => rangePattern(text, true, true),
  $gt: (text) => rangePattern(text, false, false),
  $gte: (text) => rangePattern(text, false, true),
};
