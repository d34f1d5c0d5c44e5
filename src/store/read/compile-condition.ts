import type { Document } from 'mongodb';
import { operators, valueRules } from '#model/query/operators.js';
import type { Condition } from '#model/query/plan.js';
import { comparesText, type Comparison, textPattern } from '#model/query/conditions.js';
import type { Stored } from '#model/schema/scalar-types.js';
import { isRecord } from '#base/values.js';
import { withDecimals } from '../form/decimal-forms.js';
import type { SearchCondition } from '../send/index-state.js';
import { compileHasText, compileText } from './compile-text.js';
import { compileInJson } from './compile-json.js';

export type RelatedCondition = Extract<Condition, { kind: 'related' }>;
export type ElementCondition = Extract<Condition, { kind: 'element' }>;
export type Complement = Extract<Condition, { kind: 'not' }>;
export type FallbackCondition = Extract<Condition, { kind: 'fallback' }>;

/** The filter on fields of the owner that replaces, or is added to, each condition that needed a read. */
export type ResolvedFilters = ReadonlyMap<
  RelatedCondition | ElementCondition | FallbackCondition | Complement | Comparison | SearchCondition,
  Document
>;

/**
 * Compiles a condition to a query document. The result is cached if nothing in the condition was resolved for this request.
 * Cannot fail, because names and values were checked when the condition was bound.
 */
export function compileCondition(condition: Condition | null, resolved: ResolvedFilters): Document {
  if (condition === null) return {};
  // Compiling a single comparison, such as that of an id, is faster than finding it in the cache.
  if (resolved.size > 0 || condition.kind === 'comparison') return compile(condition, resolved);
  const match = compiled.get(condition) ?? compile(condition, resolved);
  compiled.set(condition, match);
  return match;
}

/** Compiled conditions. Those of cached plans are the same objects for each request. */
const compiled = new WeakMap<Condition, Document>();

function compile(condition: Condition, resolved: ResolvedFilters): Document {
  switch (condition.kind) {
    case 'and':
      return compileAll(condition.conditions.map((inner) => compile(inner, resolved)));
    case 'or':
      return compileAny(condition.conditions.map((inner) => compile(inner, resolved)));
    case 'not':
      return resolved.get(condition) ?? compileComplement(compile(condition.condition, resolved));
    case 'comparison':
      return { ...resolved.get(condition), ...compileComparison(condition) };
    case 'search':
      return resolved.get(condition) ?? compile(condition.otherwise, resolved);
    case 'element': {
      const { path } = condition;
      const some = resolved.get(condition) ?? { [path]: { $elemMatch: compile(condition.condition, resolved) } };
      return condition.orMissing ? compileAny([some, matchEmpty(path)]) : some;
    }
    case 'related':
    case 'fallback':
      return resolved.get(condition) ?? nothing;
  }
}

/** Returns the match for all documents that another one does not match. An index serves `$nin`, but not `$nor`. */
function compileComplement(match: Document): Document {
  if (match === nothing) return {};
  const [[path, test] = [], ...others] = Object.entries(match) as readonly (readonly [string, Document])[]; // of a query
  if (path === undefined) return nothing;
  const isIn = others.length === 0 && isRecord(test) && '$in' in test && Object.keys(test).length === 1;
  return isIn ? { [path]: { $nin: test['$in'] as unknown } } : { $nor: [match] };
}

/** Matches no document. The server answers without reading any. */
export const nothing: Document = { _id: { $in: [] } };

/** Returns a match for documents whose link or list of components is empty. */
export const matchEmpty = (path: string): Document => ({ [path]: { $in: [null, []] } });

/**
 * Returns an expression for a value as a list. A JSON value may have any form, and a list of components that was never written is
 * empty.
 */
export const asList = (path: string): Document => ({
  $cond: [{ $isArray: path }, path, { $cond: [{ $lte: [path, null] }, [], [path]] }],
});

/** Compiles a conjunction. Parts on different fields are merged into one object; `$and` is needed if a field occurs twice. */
export function compileAll(parts: readonly Document[]): Document {
  const keys = parts.flatMap((part) => Object.keys(part));
  if (new Set(keys).size === keys.length) return Object.assign({}, ...parts) as Document;
  return { $and: parts };
}

export function compileAny(parts: readonly Document[]): Document {
  const [only] = parts;
  if (only === undefined) return nothing;
  return parts.length === 1 ? only : { $or: parts };
}

/** Compiles one comparator to a query on its path. A denied comparator never matches null, as in SQL. */
function compileComparison(condition: Comparison): Document {
  if (condition.keys !== undefined) return compileInJson(condition);
  const { comparator, stored, path, operand, denied } = condition;
  if (comparator === 'within') return compileWithin(condition);
  if (!comparesText(comparator) || stored === 'text') return { [path]: compileExpression(condition) };
  // values that are not stored as text are compared by their text form, with the pattern as a literal
  const { source, flags } = textPattern(comparator, operand);
  const matches = { $regexMatch: { input: compileText(`$${path}`, stored), regex: { $literal: source }, options: flags } };
  return { $expr: { $cond: [compileHasText(`$${path}`, stored), denied ? { $not: [matches] } : matches, false] } };
}

/**
 * Compiles a comparison with a part of the earth. Only points are in their index. No index serves boxes, so the circle around one is
 * compared too.
 */
function compileWithin({ path, operand, denied }: Comparison): Document {
  const { query, wide } = valueRules.within;
  const own = query(operand);
  if (denied) return { [path]: { $not: own, ...notNull.point } };
  const more = wide?.(operand) ?? null;
  const isPoint = { [`${path}.type`]: 'Point' };
  return more === null ? { ...isPoint, [path]: own } : { $and: [isPoint, { [path]: more }, { [path]: own }] };
}

/**
 * Returns the expression without a path, which is applied to a path or to array elements. Values of other types than the
 * attribute's meet neither a comparison nor its denial.
 */
function compileExpression({ comparator, operand, denied, stored }: Comparison): Document {
  if (comparator === 'null') return denied ? notNull[stored] : isNull(stored);
  const expression = comparesText(comparator)
    ? compilePattern(textPattern(comparator, operand))
    : compileValues(stored, valueRules[comparator].query(operand));
  if (stored === 'json') return compileWhole(expression, denied);
  if (!denied) return expression;
  const denial = operators[comparator].denial?.(operand);
  return denial === undefined
    ? { $not: expression, ...notNull[stored] }
    : { ...compileValues(stored, denial), ...notNull[stored] };
}

/** Ids are whole numbers, and texts no numbers: their queries stay as they are. */
const compileValues = (stored: Stored, query: Document): Document =>
  stored === 'number' || stored === 'json' ? withDecimals(query) : query;

/** Compares a JSON value as a whole. Without the check of its type, MongoDB would compare the elements of a list as well. */
function compileWhole(expression: Document, denied: boolean): Document {
  const whole = { ...expression, $not: { $type: 'array' } };
  return denied ? { $not: whole, ...notNull.json } : whole;
}

const compilePattern = ({ source, flags }: ReturnType<typeof textPattern>): Document => ({ $regex: source, $options: flags });

const jsonTypes = ['string', 'number', 'bool', 'object', 'array'];

/**
 * Conditions for "not null" by stored form, each as one index range from the least value on. With it a count needs no documents
 * (`$ne: null` has two ranges and costs twice as much), and a partial index with this filter is used for equality, unlike one
 * with `$type`.
 */
export const notNull: Readonly<Record<Stored, Document>> = {
  text: { $gte: '' },
  number: { $gte: -Infinity },
  link: { $gte: -Infinity },
  date: { $gte: new Date(-8.64e15) },
  boolean: { $gte: false },
  json: { $type: jsonTypes },
  point: { $gt: {} },
};

/** Returns the condition for "null". A JSON list that contains null is not null, although it matches `{ $eq: null }`. */
const isNull = (stored: Stored): Document => (stored === 'json' ? { $not: { $type: jsonTypes } } : { $eq: null });

/**
 * Compiles a condition on nothing but the related id to one on the ids that the document stores; returns null for other
 * conditions.
 */
export function compileOwnId({ link, path, condition, orMissing, visible }: RelatedCondition): Document | null {
  if (link.storage.kind !== 'own' || (orMissing && visible !== null)) return null;
  const comparisons = condition.kind === 'or' ? condition.conditions : [condition];
  if (!comparisons.every(isIdComparison)) return null;
  const parts = comparisons
    .filter((comparison) => !(comparison.comparator === 'null' && !comparison.denied))
    .map((comparison) => compileIdComparison(path, comparison, link.many));
  return compileAny(orMissing ? [...parts, matchEmpty(path)] : parts);
}

const isIdComparison = (condition: Condition): condition is Comparison =>
  condition.kind === 'comparison' && condition.path === '_id' && !comparesText(condition.comparator);

function compileIdComparison(path: string, comparison: Comparison, many: boolean): Document {
  const expression = compileExpression({ ...comparison, stored: 'link' });
  const isOfOneId = many && (comparison.denied || Object.keys(expression).length > 1);
  return { [path]: isOfOneId ? { $elemMatch: expression } : expression };
}
