/** How many operands an operator takes: one value, a list, a pair, or a yes/no flag. */
type Arity = 'one' | 'list' | 'pair' | 'flag';

interface OperatorRule<Name extends string> {
  readonly arity: Arity;
  /** Compares text: the operand stays text, and case is ignored if `insensitive`. */
  readonly text?: 'sensitive' | 'insensitive';
  /** The positive operator that this one denies. */
  readonly denies?: Name;
}

/** The only list of operators: their types, REST, GraphQL and the compiler derive from it. */
const table = {
  eq: { arity: 'one' },
  ne: { arity: 'one', denies: 'eq' },
  eqi: { arity: 'one', text: 'insensitive' },
  nei: { arity: 'one', text: 'insensitive', denies: 'eqi' },
  lt: { arity: 'one' },
  lte: { arity: 'one' },
  gt: { arity: 'one' },
  gte: { arity: 'one' },
  in: { arity: 'list' },
  notIn: { arity: 'list', denies: 'in' },
  contains: { arity: 'one', text: 'sensitive' },
  notContains: { arity: 'one', text: 'sensitive', denies: 'contains' },
  containsi: { arity: 'one', text: 'insensitive' },
  notContainsi: { arity: 'one', text: 'insensitive', denies: 'containsi' },
  startsWith: { arity: 'one', text: 'sensitive' },
  startsWithi: { arity: 'one', text: 'insensitive' },
  endsWith: { arity: 'one', text: 'sensitive' },
  endsWithi: { arity: 'one', text: 'insensitive' },
  null: { arity: 'flag' },
  notNull: { arity: 'flag', denies: 'null' },
  between: { arity: 'pair' },
} as const satisfies Readonly<Record<string, OperatorRule<string>>>;

type Table = typeof table;

export type Operator = keyof Table;

/** The operators that remain once `not` is pushed down to the comparisons: each is positive, denial is a flag beside it. */
export type Comparator = { [Name in Operator]: Table[Name] extends { readonly denies: string } ? never : Name }[Operator];

/** The comparators that compare the text of a value, in every stored form. */
export type TextComparator = { [Name in Comparator]: Table[Name] extends { readonly text: string } ? Name : never }[Comparator];

export const operators: Readonly<Record<Operator, OperatorRule<Comparator>>> = table;

export type Group = 'and' | 'or' | 'not';

export const isOperator = (name: string): name is Operator => Object.hasOwn(operators, name);

export const isGroup = (name: string): name is Group => name === 'and' || name === 'or' || name === 'not';
