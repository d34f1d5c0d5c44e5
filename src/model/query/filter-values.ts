import { isPlainObject, isRecord, itemsOf, type Values } from '#base/values.js';
import { comparesText, textPattern } from './conditions.js';
import { type Comparator, isOperator, operators, type Operator, valueRules } from './operators.js';

/** Filters of the API that entries meet which meet all of these. */
export const allOf = (filters: readonly Values[]): Values => ({ $and: filters });

/** Filters that entries meet which meet one of these. */
export const anyOf = (filters: readonly Values[]): Values => ({ $or: filters });

/** The condition on an attribute to be one of these values. */
export const oneOf = (values: readonly unknown[]): Values => ({ $in: values });

/** Returns what a value is compared by: a related entry by its id, a date by its text in JSON. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.toJSON();
  return isRecord(value) && value['id'] !== undefined ? value['id'] : (value ?? null);
}

/**
 * Returns whether a value of code meets an operator. `cast` returns what its operands are compared by. Unlike in SQL, null meets
 * denials. Throws a ValidationError for an operand that the operator cannot have.
 */
function meetsOperator(operator: Operator, value: unknown, operand: unknown, cast: (value: unknown) => unknown): boolean {
  const { bind, denies, text } = operators[operator];
  const items: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const values = items.map((item) => item ?? null);
  const bound = bind(values, {
    operator: `$${operator}`,
    cast: text === undefined ? cast : String,
    defined: (item) => item,
  });
  const comparator = denies ?? (operator as Comparator); // it denies none
  return bound.some((one) => one !== null && meetsBound(value, one.comparator ?? comparator, one)) === (denies === undefined);
}

function meetsBound(
  value: unknown,
  comparator: Comparator,
  { operand, denied = false }: { readonly operand: unknown; readonly denied?: boolean },
): boolean {
  if (comparator === 'null') return (value === null) !== denied;
  if (!comparesText(comparator)) return value !== null && valueRules[comparator].meets([value], operand);
  const { source, flags } = textPattern(comparator, operand);
  return typeof value !== 'object' && new RegExp(source, `u${flags}`).test(String(value));
}

/** Returns whether an entry of code meets filters: `{ createdBy: { id: 1 } }`. No entry meets an operator that does not exist. */
export function meetsValues(value: unknown, filters: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => meetsValues(item, filters));
  if (!isPlainObject(filters)) return meetsOperator('eq', comparable(value), filters, comparable);
  return Object.entries(filters).every(([name, operand]) =>
    name.startsWith('$')
      ? meetsWord(name.slice(1), value, operand)
      : meetsValues(isRecord(value) ? value[name] : undefined, operand),
  );
}

function meetsWord(word: string, value: unknown, operand: unknown): boolean {
  if (word === 'and') return itemsOf(operand).every((one) => meetsValues(value, one));
  if (word === 'or') return itemsOf(operand).some((one) => meetsValues(value, one));
  if (word === 'not') return !meetsValues(value, operand);
  return isOperator(word) && meetsOperator(word, comparable(value), operand, comparable);
}
