/** How many operands an operator takes: one value, a list, a pair, or a yes/no flag. */
type Arity = 'one' | 'list' | 'pair' | 'flag';

interface OperatorRule {
  readonly arity: Arity;
  /** Compares text: the operand stays text, and case is ignored where `insensitive`. */
  readonly text?: 'sensitive' | 'insensitive';
  /** The positive operator that this one denies. */
  readonly denies?: Operator;
}

/** The only list of operators. REST, GraphQL and the compiler all derive from it. */
export const operators: Readonly<Record<Operator, OperatorRule>> = {
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
};

export type Operator =
  | 'eq'
  | 'ne'
  | 'eqi'
  | 'nei'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'notIn'
  | 'contains'
  | 'notContains'
  | 'containsi'
  | 'notContainsi'
  | 'startsWith'
  | 'startsWithi'
  | 'endsWith'
  | 'endsWithi'
  | 'null'
  | 'notNull'
  | 'between';

export type Group = 'and' | 'or' | 'not';

export const isOperator = (name: string): name is Operator => Object.hasOwn(operators, name);

export const isGroup = (name: string): name is Group => name === 'and' || name === 'or' || name === 'not';
