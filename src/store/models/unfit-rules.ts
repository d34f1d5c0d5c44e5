import type { Document } from 'mongodb';
import type { Attribute, ScalarAttribute, ScalarType } from '#model/schema/content-type.js';
import { matches } from '#model/schema/linear-regex.js';
import { listsParts, type PartsAttribute } from '#model/schema/parts.js';
import { scalarProblems, scalarTypes } from '#model/schema/scalar-types.js';

/** Returns the query expression for stored values that a type reads as null; null if every value fits. */
function unfitExpression({ fitting }: (typeof scalarTypes)[ScalarType]): Document | null {
  if (fitting === 'all') return null;
  if (fitting === 'number') return { $ne: null, $not: { $gte: -Number.MAX_VALUE, $lte: Number.MAX_VALUE } };
  // a mask without bits matches all whole numbers, and no others
  if (fitting === 'integer') return { $ne: null, $not: { $bitsAllClear: 0 } };
  return { $ne: null, $not: 'bson' in fitting ? { $type: [fitting.bson] } : { $regex: fitting.pattern } };
}

/**
 * Returns the matches of stored values under a name that an attribute of the type reads as null. A list is matched on its own,
 * because an expression matches it by its elements.
 */
export function unfitMatches(type: ScalarType, name: string): readonly Document[] {
  const rule = scalarTypes[type];
  const expression = unfitExpression(rule);
  if (expression === null) return [];
  const unfit = (rule.stored === 'json' ? [expression] : [expression, { $type: 'array' }]).map((one) => ({ [name]: one }));
  return type === 'point' ? [...unfit, { [name]: { $type: 'object' }, [`${name}.type`]: { $ne: 'Point' } }] : unfit;
}

/** A rule of an attribute. */
export interface Rule {
  readonly rule: string;
  /** Find the values that violate it, in the entry or component that has them. */
  readonly matches: readonly Document[];
  /** Decides whether one of them violates it, if the database cannot. */
  readonly refuses?: (value: unknown) => boolean;
}

/** Returns the rules of an attribute that stored values may violate. */
export function rulesOf(attribute: Attribute, name: string): readonly Rule[] {
  const required = attribute.required ? [{ rule: 'required', matches: [{ [name]: null }] }] : [];
  if (attribute.kind === 'scalar') return [...required, ...scalarRules(attribute, name)];
  return listsParts(attribute) ? [...required, ...countRules(attribute, name)] : required;
}

/** Returns the rules of a list of components. An empty one need not have the minimum number, unless it is required. */
function countRules({ required, min, max }: PartsAttribute, name: string): readonly Rule[] {
  const item = (index: number): string => `${name}.${String(index)}`;
  const least = { [name]: { $type: 'array' }, ...(min !== null && { [item(min - 1)]: { $exists: false } }) };
  return [
    ...(min !== null && (min > 1 || (required && min === 1))
      ? [{ rule: 'min', matches: [required ? least : { ...least, [item(0)]: { $exists: true } }] }]
      : []),
    ...(max !== null ? [{ rule: 'max', matches: [{ [item(max)]: { $exists: true } }] }] : []),
  ];
}

/** Returns whether a value of a type with a form of its own, such as an e-mail address, has another form. */
const isMisformed =
  (attribute: ScalarAttribute) =>
  (value: unknown): boolean =>
    scalarProblems(value, { ...attribute, minLength: null, maxLength: null, regex: null }, '', { mode: 'update', draft: true })
      .length > 0;

function scalarRules(attribute: ScalarAttribute, name: string): readonly Rule[] {
  const { minLength, maxLength, min, max, regex } = attribute;
  const unfit = unfitMatches(attribute.type, name);
  const { ownForm = false, search } = scalarTypes[attribute.type];
  const isText = search === 'text';
  const texts = [{ [name]: { $type: 'string' } }];
  const isOdd = (value: unknown): boolean => value !== '' && regex !== null && !matches(regex, String(value));
  const lengthOf = (value: unknown): number => String(value).length;
  return [
    ...(unfit.length > 0 ? [{ rule: 'type', matches: unfit }] : []),
    ...(ownForm ? [{ rule: 'type', matches: texts, refuses: isMisformed(attribute) }] : []),
    ...(attribute.type === 'enumeration'
      ? [{ rule: 'enum', matches: [{ [name]: { $type: 'string', $nin: attribute.enum } }] }]
      : []),
    ...(isText && minLength !== null
      ? [{ rule: 'minLength', matches: texts, refuses: (value: unknown) => lengthOf(value) < minLength }]
      : []),
    ...(isText && maxLength !== null
      ? [{ rule: 'maxLength', matches: texts, refuses: (value: unknown) => lengthOf(value) > maxLength }]
      : []),
    ...(typeof min === 'number' ? [{ rule: 'min', matches: [{ [name]: { $lt: min } }] }] : []),
    ...(typeof max === 'number' ? [{ rule: 'max', matches: [{ [name]: { $gt: max } }] }] : []),
    ...(isText && regex !== null ? [{ rule: 'regex', matches: texts, refuses: isOdd }] : []),
  ];
}
