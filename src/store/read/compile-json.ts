import type { Document } from 'mongodb';
import { comparesText, type Comparison, textPattern } from '#model/query/conditions.js';
import { valueRules } from '#model/query/operators.js';
import { isPosition } from '#model/schema/json-options.js';
import { withDecimals } from '../form/decimal-forms.js';

/**
 * Compiles the comparison of a value inside of JSON. The expression alone is exact: the path of a query would also lead to the items of
 * each list on its way. The condition on the path is met by more values, and lets an index find them.
 */
export function compileInJson(condition: Comparison): Document {
  const { path, keys = [], denied } = condition;
  const test = {
    $let: { vars: { value: valueAt(`$${path}`, keys) }, in: denied ? compileDenial(condition) : compileTest(condition) },
  };
  const indexed = indexedPath(condition);
  const query = denied || indexed === null ? null : compileQuery(condition);
  return indexed === null || query === null ? { $expr: test } : { [indexed]: query, $expr: test };
}

/** Returns the path at which an index may have the value of a comparison; null if its path leads to items of lists. */
export const indexedPath = ({ path, keys = [] }: Pick<Comparison, 'path' | 'keys'>): string | null =>
  keys.some(isPosition) ? null : [path, ...keys].join('.');

/** Returns an expression for the value that keys lead to. A number is also a position in a list. */
const valueAt = (root: string, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((at, key) => {
    const own = { $cond: [{ $eq: [{ $type: '$$at' }, 'object'] }, `$$at.${key}`, null] };
    const item = { $cond: [{ $isArray: '$$at' }, { $arrayElemAt: ['$$at', Number(key)] }, own] };
    return { $let: { vars: { at }, in: isPosition(key) ? item : own } };
  }, root);

function compileQuery({ comparator, operand }: Comparison): Document | null {
  if (comparator === 'null') return null;
  if (!comparesText(comparator)) return withDecimals(valueRules[comparator].query(operand));
  const { source, flags } = textPattern(comparator, operand);
  return { $regex: source, $options: flags };
}

/** Denials are met by values of all types but null. */
const compileDenial = (condition: Comparison): Document =>
  condition.comparator === 'null' ? isJson : { $and: [isJson, { $not: [compileTest(condition)] }] };

const typeOf = { $type: '$$value' };
const isText = { $eq: [typeOf, 'string'] };
const isNumber = { $and: [{ $gte: ['$$value', -Infinity] }, { $lte: ['$$value', Infinity] }] };
const isJson = { $in: [typeOf, ['string', 'int', 'long', 'double', 'decimal', 'bool', 'object', 'array']] };

/** Compiles what a value meets. Expressions order values of all types, so that the type of the operand is a condition too. */
function compileTest({ comparator, operand }: Comparison): Document {
  if (comparator === 'null') return { $not: [isJson] };
  if (comparesText(comparator)) {
    const { source, flags } = textPattern(comparator, operand);
    return { $cond: [isText, { $regexMatch: { input: '$$value', regex: { $literal: source }, options: flags } }, false] };
  }
  const tests = Object.entries(withDecimals(valueRules[comparator].query(operand))).map(([operator, value]) => ({
    [operator]: ['$$value', { $literal: value }],
  }));
  return { $and: [...tests, ...(comparator === 'in' ? [] : [hasTypeOf(Array.isArray(operand) ? operand[0] : operand)])] };
}

const hasTypeOf = (operand: unknown): Document =>
  typeof operand === 'number' ? isNumber : typeof operand === 'boolean' ? { $eq: [typeOf, 'bool'] } : isText;
