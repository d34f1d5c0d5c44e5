/** How many operands an operator takes: one value, a list, a pair, or a yes/no flag. */
type Arity = 'one' | 'list' | 'pair' | 'flag';

interface OperatorRule<Name extends string> {
  readonly arity: Arity;
  /** Compares text: the operand stays text, and case is ignored if `insensitive`. */
  readonly text?: 'sensitive' | 'insensitive';
  /** Returns the source of the regular expression that a text must match, which means the same in MongoDB and JavaScript. */
  readonly pattern?: (operand: string) => string;
  /** Whether each text that matches contains the operand itself, so that indexes of parts of texts find it. */
  readonly literal?: true;
  /** The positive operator that this one denies. */
  readonly denies?: Name;
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The very end: in MongoDB `$` alone would also match before a last line break. */
const end = '(?!\\n)$';

const whole = { literal: true, pattern: (text: string) => `^${escape(text)}${end}` } as const;
const anywhere = { literal: true, pattern: escape } as const;
const atStart = { literal: true, pattern: (text: string) => `^${escape(text)}` } as const;
const atEnd = { literal: true, pattern: (text: string) => `${escape(text)}${end}` } as const;

/** The only list of operators: their types, REST, GraphQL and the compiler derive from it. */
const table = {
  eq: { arity: 'one' },
  ne: { arity: 'one', denies: 'eq' },
  eqi: { arity: 'one', text: 'insensitive', ...whole },
  nei: { arity: 'one', text: 'insensitive', denies: 'eqi' },
  lt: { arity: 'one' },
  lte: { arity: 'one' },
  gt: { arity: 'one' },
  gte: { arity: 'one' },
  in: { arity: 'list' },
  notIn: { arity: 'list', denies: 'in' },
  contains: { arity: 'one', text: 'sensitive', ...anywhere },
  notContains: { arity: 'one', text: 'sensitive', denies: 'contains' },
  containsi: { arity: 'one', text: 'insensitive', ...anywhere },
  notContainsi: { arity: 'one', text: 'insensitive', denies: 'containsi' },
  startsWith: { arity: 'one', text: 'sensitive', ...atStart },
  startsWithi: { arity: 'one', text: 'insensitive', ...atStart },
  endsWith: { arity: 'one', text: 'sensitive', ...atEnd },
  endsWithi: { arity: 'one', text: 'insensitive', ...atEnd },
  null: { arity: 'flag' },
  notNull: { arity: 'flag', denies: 'null' },
  between: { arity: 'pair' },
} as const satisfies Readonly<Record<string, OperatorRule<string>>>;

type Table = typeof table;

export type Operator = keyof Table;

/** The operators that remain once `not` is pushed down to the comparisons: each is positive, denial is a flag beside it. */
export type Comparator = { [Name in Operator]: Table[Name] extends { readonly denies: string } ? never : Name }[Operator];

/** The comparators that compare the text of a value, in every stored form. */
export type TextComparator = {
  [Name in Comparator]: Table[Name] extends { readonly pattern: unknown } ? Name : never;
}[Comparator];

export const operators: Readonly<Record<Operator, OperatorRule<Comparator>>> = table;

export type Group = 'and' | 'or' | 'not';

export const isOperator = (name: string): name is Operator => Object.hasOwn(operators, name);

export const isGroup = (name: string): name is Group => name === 'and' || name === 'or' || name === 'not';
