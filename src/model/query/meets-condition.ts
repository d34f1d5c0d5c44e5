import { memoize } from '#base/caches.js';
import { isDecimal } from '../schema/decimals.js';
import { isPosition } from '../schema/json-options.js';
import type { Stored } from '../schema/scalar-types.js';
import { isForeign, kindOf, plainValue, storedIds } from '../schema/stored-values.js';
import { isRecord, type Values } from '#base/values.js';
import { type TextComparator, valueRules } from './operators.js';
import type { Condition } from './plan.js';
import { comparesText, type Comparison, textPattern } from './conditions.js';
import { storedText } from './stored-text.js';

/**
 * Returns whether a stored entry or component meets a condition, as the database decides it. Conditions on other entries must have been
 * replaced by conditions on the stored ids.
 */
export function meetsCondition(condition: Condition, holder: Values): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((inner) => meetsCondition(inner, holder));
    case 'or':
      return condition.conditions.some((inner) => meetsCondition(inner, holder));
    case 'not':
      return !meetsCondition(condition.condition, holder);
    case 'element': {
      const list = valueAt(holder, condition.path);
      if (!Array.isArray(list) || list.length === 0) return condition.orMissing;
      return list.some((item) => isRecord(item) && meetsCondition(condition.condition, item));
    }
    case 'comparison':
      return condition.keys === undefined
        ? meetsComparison(condition, plainValue(valueAt(holder, condition.path) ?? null))
        : meetsInJson(condition, plainValue(valueInJson(valueAt(holder, condition.path), condition.keys) ?? null));
    case 'search':
      return meetsCondition(condition.otherwise, holder);
    case 'related':
    case 'fallback':
      throw new Error(`One entry does not tell whether it meets a condition of the kind ${condition.kind}`);
  }
}

const valueAt = (holder: Values, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), holder);

/** Returns the value that keys lead to. A number is also a position in a list. */
const valueInJson = (root: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return isPosition(key) ? (at as readonly unknown[])[Number(key)] : undefined;
    return isRecord(at) && !isForeign(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);

/** Returns whether a value inside of JSON meets a comparison. Operators of texts compare texts alone, and null meets no denial. */
function meetsInJson(condition: Comparison, value: unknown): boolean {
  const { comparator, operand, denied } = condition;
  if (!isJson(value)) return comparator === 'null' && !denied;
  if (comparator === 'null') return denied;
  const met = comparesText(comparator)
    ? typeof value === 'string' && patternOf(condition).test(value)
    : valueRules[comparator].meets([value], operand);
  return met !== denied;
}

/** Returns whether a value meets a comparison. A denied comparison never matches null, as in SQL. */
function meetsComparison(condition: Comparison, value: unknown): boolean {
  const { comparator, stored, operand, denied } = condition;
  if (stored === 'link') return meetsIds(condition, storedIds(value));
  if (comparator === 'null' && stored === 'json') return isJson(plainValue(value)) === denied;
  // a list of JSON is compared as a whole, any other by its elements
  const elements: readonly unknown[] = Array.isArray(value) && stored !== 'json' ? value : [value];
  if (comparator === 'null') return denied ? elements.some((element) => isOf(stored, element)) : elements.includes(null);
  if (value === null) return false;
  if (comparesText(comparator) && stored !== 'text') return meetsText(condition, value);
  const met = comparesText(comparator)
    ? elements.some((element) => typeof element === 'string' && patternOf(condition).test(element))
    : valueRules[comparator].meets(elements, operand);
  if (!denied) return met;
  return !met && (stored === 'json' ? isJson(value) : elements.some((element) => isOf(stored, element)));
}

/** Returns whether the text of a value meets a comparison. A value without a text does not meet its denial either. */
function meetsText(condition: Comparison, value: unknown): boolean {
  const text = storedText(value, condition.stored);
  return text !== null && patternOf(condition).test(text) !== condition.denied;
}

/** Returns whether a value has the type of its stored form. Values of other types meet no comparison and no denial of one. */
const isOf = (stored: Stored, value: unknown): boolean => kindOf(plainValue(value)) === kinds[stored] && !Number.isNaN(value);

const kinds: Readonly<Record<Stored, string>> = {
  text: 'string',
  number: 'number',
  link: 'number',
  date: 'date',
  boolean: 'boolean',
  json: 'any',
  point: 'object',
};

/**
 * Returns whether the ids of a link meet a comparison: one of them must. If the operand of `null` is a list, only ids in the list
 * count.
 */
function meetsIds({ comparator, operand, denied }: Comparison, ids: readonly number[]): boolean {
  if (comparator === 'null') return ids.every((id) => Array.isArray(operand) && !operand.includes(id)) !== denied;
  return ids.some((id) => valueRules.in.meets([id], operand) !== denied);
}

const patternOf = memoize(({ comparator, operand }: Comparison): RegExp => {
  const { source, flags } = textPattern(comparator as TextComparator, operand); // the only ones with a pattern
  return new RegExp(source, `u${flags}`);
});

/** Returns whether the database takes a value for JSON that is not null. */
const isJson = (value: unknown): boolean =>
  Array.isArray(value) || isDecimal(value) || (isRecord(value) ? !isForeign(value) : value !== null && !(value instanceof Date));
