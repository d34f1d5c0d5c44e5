import { termsOf } from '#model/query/conditions.js';
import type { Condition } from '#model/query/plan.js';
import { compileOwnId, type RelatedCondition } from './compile-condition.js';

/** The ids that conditions on related entries lead to, as far as they have been read. */
export type KnownIds = ReadonlyMap<RelatedCondition, readonly unknown[]>;

export const noIds: KnownIds = new Map();

/** Returns whether a condition needs commands of its own, so that its result may be long lists of ids. */
export const needsRelatedReads = (condition: Condition | null): boolean =>
  condition !== null && countCommands(condition, noIds) > 0;

/**
 * Returns how many conditions need a command, without those of row rules, which clients do not pay for. Conditions within a
 * related condition are counted when that condition is resolved.
 */
export const countCommands = (condition: Condition, ids: KnownIds): number =>
  termsOf(condition).reduce((sum, term) => {
    if (term.kind === 'related') return sum + (term.ofRule || ids.has(term) || compileOwnId(term) !== null ? 0 : 1);
    return term.kind === 'element'
      ? sum + countCommands(term.condition, ids) + (term.place === null || term.ofRule ? 0 : 1)
      : sum;
  }, 0);
