import { refusedBy } from '#base/limits/exceeded.js';
import { invalidParameter, validationError } from '#base/errors.js';
import type { Filter } from './ast.js';
import { plainScalar } from '../schema/code-values.js';
import { isPlainObject, isRecord } from '#base/values.js';
import type { Limits } from './bind-context.js';
import { isGroup, isOperator, isQuantifier, operators, type Group, type Operator, type Quantifier } from './operators.js';

/**
 * Parses the decoded `filters` of a request. Keys that begin with `$` are operators or groups, all others names. Returns null if
 * there is no condition: an empty object is none, and so is an object of empty objects.
 * Throws a ValidationError for an unknown operator, a group that is not a list, an object of a class, or more than the limits allow.
 */
export function parseFilters(input: unknown, limits: Limits): Filter | null {
  if (input === undefined || input === null) return null;
  if (!isPlainObject(input)) throw invalidParameter('filters');
  const budget = { conditions: limits.filterNodes };
  return parseObject(input, { limits, budget, isNamed: false });
}

interface Context {
  readonly limits: Limits;
  /** Counts down over the whole tree. */
  readonly budget: { conditions: number };
  /** Whether the name of an attribute precedes, which a bare value is compared with. */
  readonly isNamed: boolean;
}

function parseObject(input: Readonly<Record<string, unknown>>, context: Context): Filter | null {
  return all(Object.entries(input).map(([key, value]) => parseEntry(key, value, context)));
}

function parseEntry(key: string, given: unknown, context: Context): Filter | null {
  const value = plainScalar(given);
  if (isRecord(value) && !isPlainObject(value)) throw unusable(key, value);
  if (!key.startsWith('$')) {
    const filter = parseValue(value, { ...context, isNamed: true });
    return filter === null ? null : { kind: 'field', name: key, filter };
  }
  const word = key.slice(1);
  if (isGroup(word)) return parseGroup(word, value, context);
  if (isQuantifier(word)) return parseQuantifier(word, value, context);
  if (isOperator(word)) return compare(word, parseOperand(key, value, context), context);
  if (word === 'near') return { kind: 'near', value: spend(value, context) };
  throw invalidParameter(key);
}

/** Returns the error for an object of a class in a filter of code. It has no names, so that it would match all entries. */
const unusable = (key: string, { constructor }: object): Error =>
  validationError(`Invalid value for ${key}: a filter cannot contain a ${constructor.name}`);

/** Returns a comparison. Only comparisons count as conditions, because depth bounds the names and groups around them. */
const compare = (operator: Operator, value: unknown, context: Context): Filter => ({
  kind: 'comparison',
  operator,
  value: spend(value, context, operators[operator].arity === 'shape' ? cornersIn(value) : 1),
});

/** Returns the operand of a condition, which is counted. A polygon is as many conditions as it has corners. */
function spend(value: unknown, { budget, limits }: Context, conditions = 1): unknown {
  budget.conditions -= conditions;
  if (budget.conditions < 0)
    throw refusedBy('api.limits.filterNodes', `Invalid parameter filters: more than ${String(limits.filterNodes)} conditions`);
  return value;
}

/** Returns the number of corners of a polygon as it is written; 1 for other shapes. */
function cornersIn(shape: unknown): number {
  const polygon: unknown = isRecord(shape) ? shape['polygon'] : null;
  return Math.max(typeof polygon === 'string' ? polygon.split(';').length : Array.isArray(polygon) ? polygon.length : 1, 1);
}

function parseGroup(word: Group, value: unknown, context: Context): Filter | null {
  if (word === 'not') {
    if (Array.isArray(value) || (!context.isNamed && !isRecord(value))) throw invalidParameter('$not');
    const filter = parseValue(value, context);
    return filter === null ? null : { kind: 'not', filter };
  }
  if (!Array.isArray(value)) throw invalidParameter(`$${word}`);
  const filters = checkedList(`$${word}`, value, context)
    .map((item) => parseMember(word, item, context))
    .filter(isCondition);
  return filters.length === 0 ? null : { kind: word, filters };
}

/** Parses a condition on the entries of a list. One without conditions is met by all of them, as in `{ $none: {} }`. */
function parseQuantifier(quantifier: Quantifier, value: unknown, context: Context): Filter | null {
  if (!context.isNamed) throw invalidParameter(`$${quantifier}`);
  const filter = parseValue(value, context);
  if (filter === null && quantifier !== 'none') return null;
  return { kind: 'quantifier', quantifier, filter: filter ?? { kind: 'and', filters: [] } };
}

function parseMember(word: Group, item: unknown, context: Context): Filter | null {
  if (!isPlainObject(item)) throw invalidParameter(`$${word}`);
  return parseObject(item, context);
}

/** Parses a value: a bare value means equality, a bare list means any of its values. */
function parseValue(value: unknown, context: Context): Filter | null {
  if (isRecord(value)) return parseObject(value, context);
  if (Array.isArray(value)) return compare('in', parseOperand('$in', value, context), context);
  return compare('eq', value, context);
}

/**
 * Returns the operand of an operator. For `$null` and `$notNull` every object and list means true. Throws a ValidationError if
 * another operator has an object.
 */
function parseOperand(key: string, value: unknown, context: Context): unknown {
  const { arity } = operators[key.slice(1) as keyof typeof operators]; // the caller has checked the operator
  if (arity === 'flag' && typeof value === 'object' && value !== null) return [true];
  if (arity === 'shape') return value;
  if (isRecord(value)) throw invalidParameter(Object.keys(value)[0] ?? key);
  const values: readonly unknown[] = Array.isArray(value) ? checkedList(key, value, context) : [value];
  return arity === 'one' ? value : values;
}

function checkedList(key: string, values: readonly unknown[], { limits }: Context): readonly unknown[] {
  if (values.length <= limits.listValues) return values.map(plainScalar);
  throw refusedBy('api.limits.listValues', `Invalid parameter ${key}: more than ${String(limits.listValues)} values`);
}

const isCondition = (filter: Filter | null): filter is Filter => filter !== null;

function all(parts: readonly (Filter | null)[]): Filter | null {
  const filters = parts.filter(isCondition);
  const [only] = filters;
  return filters.length < 2 ? (only ?? null) : { kind: 'and', filters };
}
