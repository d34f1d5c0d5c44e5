import type { Document } from 'mongodb';
import { scalarProblems } from '#model/schema/check-scalar.js';
import type { ScalarType, Attribute, ScalarAttribute } from '#model/schema/content-type.js';
import { matches } from '#model/schema/linear-regex.js';
import { listsParts, type PartsAttribute } from '#model/schema/parts.js';
import { scalarTypes } from '#model/schema/scalar-types.js';

const notOf = (...types: readonly string[]): Document => ({ $ne: null, $not: { $type: [...types] } });
const text = notOf('string');
const date = notOf('date');
/** A mask without bits matches all whole numbers, and no others. */
const integer: Document = { $ne: null, $not: { $bitsAllClear: 0 } };
const number: Document = { $ne: null, $not: { $gte: -Number.MAX_VALUE, $lte: Number.MAX_VALUE } };

/** The query expressions for stored values that attributes read as null, by type; null if every value fits. */
const expressions: Readonly<Record<ScalarType, Document | null>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  password: text,
  enumeration: text,
  integer,
  biginteger: integer,
  float: number,
  decimal: number,
  boolean: notOf('bool'),
  date: { $ne: null, $not: { $regex: '^\\d{4}-\\d\\d-\\d\\d$' } },
  time: { $ne: null, $not: { $regex: '^\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?$' } },
  datetime: date,
  timestamp: date,
  json: null,
  blocks: notOf('array'),
};

/**
 * Returns the matches of stored values under a name that an attribute of the type reads as null. A list is matched on its own,
 * because an expression matches it by its elements.
 */
export function unfitMatches(type: ScalarType, name: string): readonly Document[] {
  const expression = expressions[type];
  if (expression === null) return [];
  return (type === 'blocks' ? [expression] : [expression, { $type: 'array' }]).map((one) => ({ [name]: one }));
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

/** Types of texts that have a form of their own. */
const formed: ReadonlySet<string> = new Set(['email', 'uid']);

function scalarRules(attribute: ScalarAttribute, name: string): readonly Rule[] {
  const { minLength, maxLength, min, max, regex } = attribute;
  const unfit = unfitMatches(attribute.type, name);
  const isText = scalarTypes[attribute.type].search === 'text';
  const texts = [{ [name]: { $type: 'string' } }];
  const isOdd = (value: unknown): boolean => value !== '' && regex !== null && !matches(regex, String(value));
  const lengthOf = (value: unknown): number => String(value).length;
  return [
    ...(unfit.length > 0 ? [{ rule: 'type', matches: unfit }] : []),
    ...(formed.has(attribute.type) ? [{ rule: 'type', matches: texts, refuses: isMisformed(attribute) }] : []),
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
