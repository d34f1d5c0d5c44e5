import type { Document } from 'mongodb';
import type { Condition, Test } from '../query/plan.js';
import { comparesText, textPattern, type TextTest } from '../query/text-pattern.js';
import { compileText } from './compile-text.js';
import { isNull, notNull } from './not-null.js';

export type TestCondition = Extract<Condition, { kind: 'test' }>;

/** The expression that a test is when it is not denied. One line per operator; a missing one does not compile. */
const expressions: Readonly<Record<Exclude<Test, TextTest | 'null'>, (operand: unknown) => Document>> = {
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
};

/** Compiles one test to a query on its path. A denied test never matches null, as in SQL. */
export function compileTest(condition: TestCondition): Document {
  const { test, stored, path } = condition;
  return comparesText(test) && stored !== 'text'
    ? compileCastTest({ ...condition, test })
    : { [path]: compileExpression(condition) };
}

/** The expression alone, for the path or the array elements that it is put on. */
export function compileExpression({ test, operand, denied, stored }: TestCondition): Document {
  if (test === 'null') return denied ? notNull[stored] : isNull[stored];
  const expression = comparesText(test) ? compilePattern(test, operand) : expressions[test](operand);
  if (!denied) return expression;
  switch (test) {
    case 'eq':
      return { $nin: [operand, null] };
    case 'in':
      return { $nin: [...(operand as readonly unknown[]), null] }; // bound as a list
    default:
      return { $not: expression, $ne: null };
  }
}

function compilePattern(test: TextTest, operand: unknown): Document {
  const { source, flags } = textPattern(test, operand);
  return { $regex: source, $options: flags };
}

/** Text tests on what is not stored as text look at its text form. The pattern is a literal to the server. */
function compileCastTest({ path, stored, test, operand, denied }: TestCondition & { readonly test: TextTest }): Document {
  const { source, flags } = textPattern(test, operand);
  const matches = { $regexMatch: { input: compileText(`$${path}`, stored), regex: { $literal: source }, options: flags } };
  const isThere = { $gt: [`$${path}`, null] };
  return { $expr: { $and: [isThere, denied ? { $not: [matches] } : matches] } };
}
