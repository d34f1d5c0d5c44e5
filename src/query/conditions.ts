import { always, never, type Condition } from './plan.js';

const isAlways = (condition: Condition): boolean => condition.kind === 'and' && condition.conditions.length === 0;
/** Whether the condition is known to match nothing, so that nothing has to be read. */
export const isNever = (condition: Condition): boolean => condition.kind === 'or' && condition.conditions.length === 0;

/** Every condition holds; flattened, and `never` as soon as one is. */
export function allOf(conditions: readonly Condition[]): Condition {
  const parts = conditions.flatMap((condition) => (condition.kind === 'and' ? condition.conditions : [condition]));
  if (parts.some(isNever)) return never;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'and', conditions: parts };
}

/** Some condition holds; flattened, and `always` as soon as one is. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const parts = conditions.flatMap((condition) => (condition.kind === 'or' ? condition.conditions : [condition]));
  if (parts.some(isAlways)) return always;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'or', conditions: parts };
}

/** Null where nothing is demanded. */
export const orNull = (condition: Condition): Condition | null => (isAlways(condition) ? null : condition);

/**
 * Whether a row of nothing but nulls meets the condition: what SQL's outer join shows for an entry without related rows, so
 * such an entry matches as well (`filters[tags][publishedAt][$null]=true`, rest.md 6.5).
 */
export function holdsForNulls(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every(holdsForNulls);
    case 'or':
      return condition.conditions.some(holdsForNulls);
    case 'test':
      return condition.test === 'null' && !condition.denied;
    case 'element':
    case 'related':
      return condition.orMissing;
  }
}
