import { memoize } from '#base/caches.js';
import { type FindCaller, finderOf } from '../authorize.js';
import type { IdentifiedRow, Row, Run, Step } from '../route.js';
import { unconditional } from './conditional.js';
import { entryKey } from './entry-key.js';
import { unkeyed } from './keyed.js';
import { unpaged } from './paged.js';

/** The steps of rows that do not have others of these names. They refuse what only some rows support. */
const usual: readonly Step[] = [unconditional, unpaged, unkeyed, entryKey.refused];

/** The stages in order. */
const stages: readonly Step['stage'][] = ['caller', 'count', 'check', 'tag', 'key'];

/** Returns the steps of a row in order: one of each name, the last one that the row names. */
export function stepsOf(row: Row): readonly Step[] {
  if (row.action === null) return [];
  const steps = [...new Map([...usual, ...(row.steps ?? [])].map((step) => [step.name, step])).values()];
  return stages.flatMap((stage) => steps.filter((step) => step.stage === stage));
}

/** The steps of a row, composed. */
export interface Chain {
  readonly find: FindCaller;
  readonly refuse: Step['refuse'] | undefined;
  /** The requests of which is noted what they read. */
  readonly notes: 'none' | NonNullable<Step['notes']>;
  readonly run: Run;
}

/** Composes the steps of a row around its handler, once for each row. */
export const chainOf = memoize((row: IdentifiedRow): Chain => {
  const steps = stepsOf(row);
  const finder = steps.reduce((find, { finds }) => finds?.(row.action) ?? find, finderOf(row.action));
  const handle: Run = 'handle' in row ? (call) => row.handle(call) : (call, ctx) => row.handleContext(ctx, call);
  return {
    find: steps.reduce((find, step) => step.extends?.(find) ?? find, finder),
    refuse: steps.find(({ refuse }) => refuse !== undefined)?.refuse,
    notes: steps.find(({ notes }) => notes !== undefined)?.notes ?? 'none',
    run: steps.reduceRight((rest, { around }) => around?.(rest, row) ?? rest, handle),
  };
});
