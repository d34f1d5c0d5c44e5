import { rowsAt, type Row } from './link-rows.js';
import { jsonFields } from './world.js';

/** A truth value of SQL: true, false, or null if a null was compared. */
type Truth = boolean | null;

/** A filter as it is written over REST: names, operators, `$and`, `$or` and `$not`. */
export type Filter = Readonly<Record<string, unknown>>;

const not = (truth: Truth): Truth => (truth === null ? null : !truth);
const all = (truths: readonly Truth[]): Truth => (truths.includes(false) ? false : truths.includes(null) ? null : true);
const some = (truths: readonly Truth[]): Truth => (truths.includes(true) ? true : truths.includes(null) ? null : false);

const asText = (value: unknown): string => String(value);
const compare =
  (test: (order: number) => boolean) =>
  (value: unknown, operand: unknown): Truth =>
    value === null || operand === null ? null : test(compareValues(value, operand));
const text =
  (test: (value: string, operand: string) => boolean) =>
  (value: unknown, operand: unknown): Truth =>
    value === null || operand === null ? null : test(asText(value), asText(operand));
const lower = (test: (value: string, operand: string) => boolean) =>
  text((value, operand) => test(value.toLowerCase(), operand.toLowerCase()));

/** Texts by their bytes; nothing before everything. NaN for JSON of another type. */
export function compareValues(left: unknown, right: unknown): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  if (typeof left !== typeof right) return NaN;
  if (typeof left === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(String(right)));
  return Number(left) - Number(right);
}

const equal = (value: unknown, operand: unknown): Truth =>
  operand === null ? value === null : value === null ? null : value === operand;
const isIn = (value: unknown, list: unknown): Truth =>
  some((list as unknown[]).map((item) => compare((order) => order === 0)(value, item)));

/** Each operator as SQL has it, on one value. */
const operators: Readonly<Record<string, (value: unknown, operand: unknown) => Truth>> = {
  $eq: equal,
  $ne: (value, operand) => not(equal(value, operand)),
  $eqi: lower((value, operand) => value === operand),
  $nei: lower((value, operand) => value !== operand),
  $lt: compare((order) => order < 0),
  $lte: compare((order) => order <= 0),
  $gt: compare((order) => order > 0),
  $gte: compare((order) => order >= 0),
  $in: isIn,
  $notIn: (value, list) => not(isIn(value, list)),
  $contains: text((value, operand) => value.includes(operand)),
  $notContains: text((value, operand) => !value.includes(operand)),
  $containsi: lower((value, operand) => value.includes(operand)),
  $notContainsi: lower((value, operand) => !value.includes(operand)),
  $startsWith: text((value, operand) => value.startsWith(operand)),
  $startsWithi: lower((value, operand) => value.startsWith(operand)),
  $endsWith: text((value, operand) => value.endsWith(operand)),
  $endsWithi: lower((value, operand) => value.endsWith(operand)),
  $null: (value, operand) => (value === null) === operand,
  $notNull: (value, operand) => (value !== null) === operand,
  $between: (value, operand) => {
    const [low, high] = operand as [unknown, unknown];
    return all([operators['$gte']?.(value, low) ?? null, operators['$lte']?.(value, high) ?? null]);
  },
};

/** What an outer join puts beside a row that leads to none. It has no lists, which quantifiers could be about. */
const nulls: Row = {};

/** A component that is not there: its lists are empty. */
const noPart: Row = { __type: 'none' };

/** What filters are about. */
export interface World {
  /** Tells relations and components from fields. */
  readonly isLead: (name: string) => boolean;
  /** Tells components that are not repeatable. */
  readonly isPart: (name: string) => boolean;
  /** Whether a row counts for `$none` and `$every`. */
  readonly isThere: (row: Row) => boolean;
}

/**
 * Whether a row meets a filter: each relation that is named is joined, by an outer join, and some of the joined rows must meet
 * what is below.
 */
export function meetsFilter(row: Row, filter: Filter, world: World, denied = false): boolean {
  const parts = Object.entries(filter).map(([key, value]) => meetsEntry(row, [key, value], world, denied));
  return denied ? parts.some(Boolean) : parts.every(Boolean);
}

/** Quantifiers count the rows that are there, one after the other; what is beside them is about one joined row. */
function meetsLead(row: Row, found: readonly Row[], filter: Filter, world: World, denied: boolean): boolean {
  const entries = Object.entries(filter);
  const quantified = entries.filter(isQuantified);
  const plain = Object.fromEntries(entries.filter((entry) => !isQuantified(entry)));
  const parts = quantified.map(([key, value]) => {
    if (key === '$some') return meetsLead(row, found, value as Filter, world, denied);
    if (key === '$not') return meetsLead(row, found, value as Filter, world, !denied);
    return row !== nulls && meetsQuantifier(found.filter(world.isThere), key, value as Filter, world) !== denied;
  });
  if (quantified.length < entries.length || entries.length === 0)
    parts.push((found.length === 0 ? [nulls] : found).some((other) => meetsFilter(other, plain, world, denied)));
  return denied ? parts.some(Boolean) : parts.every(Boolean);
}

const isQuantified = ([key, value]: readonly [string, unknown]): boolean =>
  ['$none', '$every', '$some'].includes(key) || (key === '$not' && Object.entries(value as Filter).some(isQuantified));

const meetsQuantifier = (rows: readonly Row[], key: string, filter: Filter, world: World): boolean =>
  rows.filter((one) => meetsFilter(one, filter, world)).length === (key === '$none' ? 0 : rows.length);

function meetsEntry(row: Row, [key, value]: readonly [string, unknown], world: World, denied: boolean): boolean {
  if (key === '$not') return meetsFilter(row, value as Filter, world, !denied);
  if (key === '$and' || key === '$or') {
    const parts = (value as Filter[]).map((inner) => meetsFilter(row, inner, world, denied));
    return (key === '$and') === denied ? parts.some(Boolean) : parts.every(Boolean);
  }
  if (world.isPart(key))
    return meetsFilter(rowsAt(row, key)[0] ?? (row === nulls ? nulls : noPart), value as Filter, world, denied);
  if (world.isLead(key)) return meetsLead(row, rowsAt(row, key), value as Filter, world, denied);
  const truth = tests({ value: row[key] ?? null, isJson: jsonFields.has(key) }, value as Filter);
  return (denied ? not(truth) : truth) === true;
}

/** A value of a field. Operators of texts see the text of JSON, others the value. */
interface Held {
  readonly value: unknown;
  readonly isJson: boolean;
}

/** What stands under a field: operators, all of which must hold, or `$not`. */
const tests = (held: Held, filter: Filter): Truth =>
  all(
    Object.entries(filter).map(([key, operand]) =>
      key === '$not' ? not(tests(held, operand as Filter)) : testOne(held, key, operand),
    ),
  );

function testOne({ value, isJson }: Held, key: string, operand: unknown): Truth {
  const isText = isJson && value !== null && /eqi$|nei$|contains|starts|ends/i.test(key);
  return operators[key]?.(isText ? JSON.stringify(value) : value, operand) ?? null;
}
