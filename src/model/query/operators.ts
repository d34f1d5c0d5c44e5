import { mapValues, type Values } from '#base/values.js';
import type { Stored } from '../schema/scalar-types.js';
import { storedPlace } from '../schema/scalars/place.js';
import { compareWithDigits, isExactDouble } from '../schema/decimals.js';
import { compareStored, numberText, plainValue } from '../schema/stored-values.js';
import { isWithin, type Shape, shapeQuery, wideQuery } from './places/shapes.js';
import {
  listOfValues,
  oneShape,
  oneText,
  oneValue,
  pairOfValues,
  textOrNull,
  valueOrNull,
  yesOrNo,
  type OperandRule,
} from './operands.js';

/** Compares stored values with an operand in their stored form. */
interface ValueRule {
  /** Returns the query of the database on the values of a path. */
  readonly query: (operand: unknown) => Values;
  /** Returns the query for the values that are denied; unless it is there, the one of `$not`. */
  readonly denial?: (operand: unknown) => Values;
  /** Returns a query that more values meet, which an index serves in place of it; null, or absent, if it serves the query itself. */
  readonly wide?: (operand: unknown) => Values | null;
  /** Returns whether the elements of a value meet the operand, as the database decides it: one of them must meet each bound. */
  readonly meets: (elements: readonly unknown[], operand: unknown) => boolean;
}

/** Compares the text of a value, in every stored form, with an operand that stays text. */
interface TextRule {
  /** Case is ignored if `insensitive`. */
  readonly text: 'sensitive' | 'insensitive';
  /** Returns the source of the regular expression that a text must match, which means the same in MongoDB and JavaScript. */
  readonly pattern: (operand: string) => string;
  /** Whether each text that matches contains the operand itself, so that indexes of parts of texts find it. */
  readonly literal?: true;
  /** Whether each text that matches begins with the operand, so that an index finds it if case matters. */
  readonly prefix?: true;
}

/** Compares with null, which each stored form has its own query for. */
interface NullRule {
  readonly ofNull: true;
}

/** A positive operator. */
type ComparatorRule = OperandRule & (ValueRule | TextRule | NullRule) & { readonly inGraphql?: false };

/** An operator that denies another one, and is written and bound like it. */
interface Denial<Name> {
  readonly denies: Name;
}

/** All that is known of an operator. */
interface OperatorRule<Name>
  extends OperandRule, Partial<ValueRule>, Partial<TextRule>, Partial<NullRule>, Partial<Denial<Name>> {
  /** Whether the filter inputs of GraphQL have it; absent if they do. */
  readonly inGraphql?: false;
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The very end: in MongoDB `$` alone would also match before a last line break. */
const end = '(?!\\n)$';

const whole = { literal: true, pattern: (text: string) => `^${escape(text)}${end}` } as const;
const anywhere = { literal: true, pattern: escape } as const;
const atStart = { literal: true, prefix: true, pattern: (text: string) => `^${escape(text)}` } as const;
const atEnd = { literal: true, pattern: (text: string) => `${escape(text)}${end}` } as const;

type ValueTest = ValueRule['meets'];

/**
 * Returns the orders of a value to an operand: NaN if they are of different types. 0.1 means both the double and the number that its
 * digits say, which are not the same.
 */
function ordersOf(value: unknown, operand: unknown): readonly number[] {
  const plain = plainValue(value);
  const order = compareStored(plain, operand);
  // a double is compared with a double: its digits decide nothing else
  if (typeof plain === 'number' || typeof operand !== 'number' || Number.isNaN(order) || isExactDouble(operand)) return [order];
  return [order, compareWithDigits(plain, operand)];
}

/** Returns the comparison of elements that some element meets whose order to the operand holds, or some of its orders. */
const ordered =
  (holds: (order: number) => boolean, some = false): ValueTest =>
  (elements, operand) =>
    elements.some((element) => (some ? ordersOf(element, operand).some(holds) : ordersOf(element, operand).every(holds)));

const isAtLeast = ordered((order) => order >= 0, true);
const isAtMost = ordered((order) => order <= 0, true);

/** JSON values that are objects or lists equal no operand. */
const isScalar = (value: unknown): boolean => typeof value !== 'object' || value instanceof Date || numberText(value) !== null;

const isEqual: ValueTest = (elements, operand) =>
  elements.some((element) => isScalar(element) && ordersOf(element, operand).includes(0));

/** Returns the operand of a list or pair, which is bound as a list. */
const items = (operand: unknown): readonly unknown[] => operand as readonly unknown[];

/** Returns the operand of `within`, which is bound as a shape. */
const shape = (operand: unknown): Shape => operand as Shape;

/** The operators of filters. REST, GraphQL, OpenAPI, the types of the client, the compiler and `meetsCondition` derive from them. */
const table = {
  eq: { ...valueOrNull, query: (operand) => ({ $eq: operand }), denial: (operand) => ({ $ne: operand }), meets: isEqual },
  ne: { denies: 'eq' },
  eqi: { ...textOrNull, text: 'insensitive', ...whole },
  nei: { denies: 'eqi' },
  lt: { ...oneValue, query: (operand) => ({ $lt: operand }), meets: ordered((order) => order < 0) },
  lte: { ...oneValue, query: (operand) => ({ $lte: operand }), meets: isAtMost },
  gt: { ...oneValue, query: (operand) => ({ $gt: operand }), meets: ordered((order) => order > 0) },
  gte: { ...oneValue, query: (operand) => ({ $gte: operand }), meets: isAtLeast },
  in: {
    ...listOfValues,
    query: (operand) => ({ $in: operand }),
    denial: (operand) => ({ $nin: operand }),
    meets: (elements, operand) => items(operand).some((item) => isEqual(elements, item)),
  },
  notIn: { denies: 'in' },
  contains: { ...oneText, text: 'sensitive', ...anywhere },
  notContains: { denies: 'contains' },
  containsi: { ...oneText, text: 'insensitive', ...anywhere },
  notContainsi: { denies: 'containsi' },
  startsWith: { ...oneText, text: 'sensitive', ...atStart },
  startsWithi: { ...oneText, text: 'insensitive', ...atStart, inGraphql: false },
  endsWith: { ...oneText, text: 'sensitive', ...atEnd },
  endsWithi: { ...oneText, text: 'insensitive', ...atEnd, inGraphql: false },
  null: { ...yesOrNo, ofNull: true },
  notNull: { denies: 'null' },
  between: {
    ...pairOfValues,
    query: (operand) => ({ $gte: items(operand)[0], $lte: items(operand)[1] }),
    meets: (elements, operand) => isAtLeast(elements, items(operand)[0]) && isAtMost(elements, items(operand)[1]),
  },
  within: {
    ...oneShape,
    query: (operand) => shapeQuery(shape(operand)),
    wide: (operand) => wideQuery(shape(operand)),
    meets: (elements, operand) => elements.map(storedPlace).some((place) => place !== null && isWithin(place, shape(operand))),
    inGraphql: false,
  },
} as const satisfies Readonly<Record<string, ComparatorRule | Denial<string>>>;

type Table = typeof table;

export type Operator = keyof Table;

type Having<Part> = { [Name in Operator]: Table[Name] extends Part ? Name : never }[Operator];

/** The operators that remain once `not` is pushed down to the comparisons: each is positive, denial is a flag beside it. */
export type Comparator = Having<OperandRule>;

/** The comparators that compare the text of a value, in every stored form. */
export type TextComparator = Having<{ readonly pattern: unknown }>;

/** The comparators that compare values in their stored form, except for null. */
type ValueComparator = Having<{ readonly query: unknown }>;

const rows: Readonly<Record<Operator, ComparatorRule | Denial<Comparator>>> = table;

/** Returns the rule of a row. A denial has the operand of the operator that it denies. */
function ruleOf(row: ComparatorRule | Denial<Comparator>): OperatorRule<Comparator> {
  if (!('denies' in row)) return row;
  const { arity, bind, text }: OperatorRule<Comparator> = table[row.denies];
  return { arity, bind, ...(text !== undefined && { text }), ...row };
}

export const operators = mapValues(rows, ruleOf) as Readonly<Record<Operator, OperatorRule<Comparator>>>; // the names of the table

/** The rules of the comparators of values. */
export const valueRules = operators as Readonly<Record<ValueComparator, ValueRule>>; // rows that have a query

/**
 * Returns whether values of a stored form have an operator. Points can only be null, or within a shape, which nothing else can be.
 * Dates and booleans have no single text, so that case means nothing in them.
 */
export function takesOperator(stored: Stored, operator: Operator): boolean {
  const { arity, text } = operators[operator];
  if (stored === 'point') return arity === 'shape' || operator === 'null' || operator === 'notNull';
  return arity !== 'shape' && !((stored === 'date' || stored === 'boolean') && text === 'sensitive');
}

export type Group = 'and' | 'or' | 'not';

/** How many entries or elements of a list must meet a filter. */
export type Quantifier = 'some' | 'none' | 'every';

export const quantifiers: readonly Quantifier[] = ['some', 'none', 'every'];

export const isQuantifier = (name: string): name is Quantifier => quantifiers.some((quantifier) => quantifier === name);

export const isOperator = (name: string): name is Operator => Object.hasOwn(operators, name);

export const isGroup = (name: string): name is Group => name === 'and' || name === 'or' || name === 'not';
