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

/** Quantifiers are about all items of a value, which is one item unless it is a list. */
const quantified: Readonly<Record<string, Comparison>> = {
  $some: (value, operand) => itemsIn(value).some((item) => meetsValues(item, operand)),
  $none: (value, operand) => !itemsIn(value).some((item) => meetsValues(item, operand)),
  $every: (value, operand) => itemsIn(value).every((item) => meetsValues(item, operand)),
};

const itemsIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : comparable(value) === null ? [] : [value];

/** Returns whether an entry of code meets filters: `{ createdBy: { id: 1 } }`. No entry meets an operator that is not listed here. */
export function meetsValues(value: unknown, filters: unknown): boolean {
  if (Array.isArray(value)) return meetsItems(value, filters);
  if (!isPlainObject(filters)) return isEqual(value, filters);
  return Object.entries(filters).every(([name, operand]) =>
    name.startsWith('$')
      ? ((comparisons[name] ?? quantified[name])?.(value, operand) ?? false)
      : meetsValues(isRecord(value) ? value[name] : undefined, operand),
  );
}

/** Returns whether some item of a list meets filters, and all items together what the quantifiers among them demand. */
function meetsItems(items: readonly unknown[], filters: unknown): boolean {
  if (!isPlainObject(filters)) return items.some((item) => meetsValues(item, filters));
  const entries = Object.entries(filters);
  const ofAll = entries.filter(([name, operand]) => hasQuantifier(name, operand));
  const others = Object.fromEntries(entries.filter((entry) => !ofAll.includes(entry)));
  const isMet = ofAll.every(([name, operand]) => (comparisons[name] ?? quantified[name])?.(items, operand));
  const asksItems = ofAll.length === 0 || ofAll.length < entries.length;
  return isMet && (!asksItems || items.some((item) => meetsValues(item, others)));
}

/** Returns whether a condition is a quantifier, or a group of conditions some of which are. */
function hasQuantifier(name: string, operand: unknown): boolean {
  if (name in quantified) return true;
  const parts = ['$and', '$or', '$not'].includes(name) ? [operand].flat() : [];
  return parts.some((part) => isPlainObject(part) && Object.entries(part).some(([inner, one]) => hasQuantifier(inner, one)));
}
