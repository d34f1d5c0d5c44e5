import type { Document } from 'mongodb';
import type { Condition, Test } from '../query/plan.js';
import { notNull } from './not-null.js';

export type TestCondition = Extract<Condition, { kind: 'test' }>;

/** The expression that a test is when it is not denied. One line per operator; a missing one does not compile. */
const expressions: Readonly<Record<Test, (operand: unknown) => Document>> = {
  eq: (operand) => ({ $eq: operand }),
  in: (operand) => ({ $in: operand }),
  lt: (operand) => ({ $lt: operand }),
  lte: (operand) => ({ $lte: operand }),
  gt: (operand) => ({ $gt: operand }),
  gte: (operand) => ({ $gte: operand }),
  between: (operand) => {
    const [low, high] = operand as readonly unknown[]; // bound as a pair
    return { $gte: low, $lte: high };
  },
  null: () => ({ $eq: null }),
  eqi: (operand) => pattern(`^${escape(operand)}${end}`, 'i'),
  contains: (operand) => pattern(escape(operand), ''),
  containsi: (operand) => pattern(escape(operand), 'i'),
  startsWith: (operand) => pattern(`^${escape(operand)}`, ''),
  startsWithi: (operand) => pattern(`^${escape(operand)}`, 'i'),
  endsWith: (operand) => pattern(`${escape(operand)}${end}`, ''),
  endsWithi: (operand) => pattern(`${escape(operand)}${end}`, 'i'),
};

const pattern = (source: string, options: string): Document => ({ $regex: source, $options: options });

/** The very end: `$` alone would also match before a last line break. */
const end = '(?!\\n)$';

const escape = (operand: unknown): string => String(operand).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const textTests: ReadonlySet<Test> = new Set<Test>([
  'eqi',
  'contains',
  'containsi',
  'startsWith',
  'startsWithi',
  'endsWith',
  'endsWithi',
]);

/** Compiles one test to a query on its path. A denied test never matches null, as in SQL. */
export function compileTest(condition: TestCondition): Document {
  if (textTests.has(condition.test) && condition.stored !== 'text' && condition.stored !== 'json')
    return compileCastTest(condition);
  return { [condition.path]: compileExpression(condition) };
}

/** The expression alone, for the path or the array elements that it is put on. */
export function compileExpression({ test, operand, denied, stored }: TestCondition): Document {
  const expression = expressions[test](operand);
  if (!denied) return expression;
  switch (test) {
    case 'null':
      return notNull[stored];
    case 'eq':
      return { $nin: [operand, null] };
    case 'in':
      return { $nin: [...(operand as readonly unknown[]), null] }; // bound as a list
    default:
      return { $not: expression, $ne: null };
  }
}

/** Text tests on numbers, dates and booleans look at the text form; a user's text stands in `$literal`-safe operands only. */
function compileCastTest({ path, test, operand, denied }: TestCondition): Document {
  const { $regex, $options } = expressions[test](operand) as { $regex: string; $options: string }; // text tests are patterns
  const matches = { $regexMatch: { input: { $toString: `$${path}` }, regex: { $literal: $regex }, options: $options } };
  const isNull = { $lte: [`$${path}`, null] };
  return { $expr: denied ? { $not: [{ $or: [isNull, matches] }] } : matches };
}
