import type { Document } from 'mongodb';
import type { ScalarType } from '../../schema/content-type.js';

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
 * Returns the expressions that find the stored values which an attribute of the type reads as null. A list is one of its own,
 * because an expression matches it by its elements.
 */
export function unfitExpressions(type: ScalarType): readonly Document[] {
  const expression = expressions[type];
  if (expression === null) return [];
  return type === 'blocks' ? [expression] : [expression, { $type: 'array' }];
}
