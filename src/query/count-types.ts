import type { BindContext } from './bind-context.js';

/**
 * Counts the types that a selection is worked out for, before it is bound: fragments that spread one another make few words stand
 * for millions. The returned function throws a ValidationError once there are more than may be bound.
 */
export function createTypeCounter({ budget, limits }: Pick<BindContext, 'budget' | 'limits'>): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > limits.boundSelections) budget.spend('boundSelections', count);
  };
}
