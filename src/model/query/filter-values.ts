import { isPlainObject, isRecord, itemsOf, type Values } from '#base/values.js';

/** Filters of the API that entries meet which meet all of these. */
export const allOf = (filters: readonly Values[]): Values => ({ $and: filters });

/** Filters that entries meet which meet one of these. */
export const anyOf = (filters: readonly Values[]): Values => ({ $or: filters });

/** The condition on an attribute to be one of these values. */
export const oneOf = (values: readonly unknown[]): Values => ({ $in: values });

type Comparison = (value: unknown, operand: unknown) => boolean;

/** Returns what a value is compared by: a related entry by its id, a date by its text in JSON. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.toJSON();
  return isRecord(value) && value['id'] !== undefined ? value['id'] : (value ?? null);
}

const isEqual: Comparison = (value, operand) => comparable(value) === comparable(operand);
const isIn: Comparison = (value, operand) => itemsOf(operand).some((one) => isEqual(value, one));
const isNull: Comparison = (value, operand) => (comparable(value) === null) === (operand !== false);

/** Returns a comparison of numbers, or of texts. Values of two kinds are in no order. */
const ordered =
  (holds: (order: number) => boolean): Comparison =>
  (value, operand) => {
    const [a, b] = [comparable(value), comparable(operand)];
    if (typeof a === 'number' && typeof b === 'number') return holds(a - b);
    return typeof a === 'string' && typeof b === 'string' && holds(a < b ? -1 : Number(a > b));
  };

const comparisons: Readonly<Record<string, Comparison>> = {
  $eq: isEqual,
  $ne: (value, operand) => !isEqual(value, operand),
  $in: isIn,
  $notIn: (value, operand) => !isIn(value, operand),
  $lt: ordered((order) => order < 0),
  $lte: ordered((order) => order <= 0),
  $gt: ordered((order) => order > 0),
  $gte: ordered((order) => order >= 0),
  $null: isNull,
  $notNull: (value, operand) => !isNull(value, operand),
  $and: (value, operand) => itemsOf(operand).every((one) => meetsValues(value, one)),
  $or: (value, operand) => itemsOf(operand).some((one) => meetsValues(value, one)),
  $not: (value, operand) => !meetsValues(value, operand),
};

/** Returns whether an entry of code meets filters: `{ createdBy: { id: 1 } }`. No entry meets an operator that is not listed here. */
export function meetsValues(value: unknown, filters: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => meetsValues(item, filters));
  if (!isPlainObject(filters)) return isEqual(value, filters);
  return Object.entries(filters).every(([name, operand]) =>
    name.startsWith('$')
      ? (comparisons[name]?.(value, operand) ?? false)
      : meetsValues(isRecord(value) ? value[name] : undefined, operand),
  );
}
