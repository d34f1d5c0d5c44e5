import type { Document } from 'mongodb';
import type { Condition } from '../../query/plan.js';
import { compileAny, compileExpression, missing, type Comparison, type RelatedCondition } from './compile-condition.js';

/**
 * Compiles a condition on nothing but the related id to one on the ids that the document stores; returns null for other
 * conditions.
 */
export function compileOwnId({ link, path, condition, orMissing, visible }: RelatedCondition): Document | null {
  if (link.storage.kind !== 'own' || (orMissing && visible !== null)) return null;
  const comparisons = condition.kind === 'or' ? condition.conditions : [condition];
  if (!comparisons.every(isIdComparison)) return null;
  const parts = comparisons
    .filter((comparison) => !(comparison.comparator === 'null' && !comparison.denied))
    .map((comparison) => compileIdComparison(path, comparison, link.many));
  return compileAny(orMissing ? [...parts, missing(path)] : parts);
}

const isIdComparison = (condition: Condition): condition is Comparison =>
  condition.kind === 'comparison' &&
  condition.path === '_id' &&
  ['eq', 'in', 'null', 'lt', 'lte', 'gt', 'gte', 'between'].includes(condition.comparator);

function compileIdComparison(path: string, comparison: Comparison, many: boolean): Document {
  const expression = compileExpression({ ...comparison, stored: 'link' });
  return { [path]: many && (comparison.denied || comparison.comparator === 'between') ? { $elemMatch: expression } : expression };
}
