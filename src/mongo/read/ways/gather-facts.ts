import type { Plan } from '../../../query/plan.js';
import type { Registry } from '../../../schema/content-type.js';
import { asScanned, type Database } from '../../send/database.js';
import type { TotalCache } from '../../changes/total-cache.js';
import { compileJoined, type Joins } from '../join-related.js';
import { asksForRelated, resolveRelated } from '../resolve-related.js';
import { chooseIndex } from './link-index.js';
import { joinedTotal } from './joined-list.js';
import { pageOf } from './page-of.js';
import { totalOf } from './page-total.js';
import type { Facts } from './facts.js';

export interface PageContext {
  readonly registry: Registry;
  readonly database: Database;
  readonly totals: TotalCache;
}

/** Returns what ways of reading are chosen by. */
export function gatherFacts(plan: Plan, { registry, totals, ...context }: PageContext): Facts {
  const { condition, withTotal } = plan;
  const isLinked = asksForRelated(condition);
  const database = isLinked ? asScanned(context.database) : context.database;
  const joins: Joins = [];
  const resolved = once(() => resolveRelated(condition, context.database, database.session === null ? joins : null));
  const page = once(async () => {
    const { match, before } = compileJoined(condition, await resolved(), joins);
    const parts: readonly unknown[] = condition?.kind === 'and' ? condition.conditions : [condition];
    const isAlone = joins.length === 1 && parts.includes(joins[0]?.condition);
    return { ...pageOf(plan, match, database), joins, before, isAlone };
  });
  const index = once(async () => {
    if (!isLinked || (await page()).rank !== null) return null;
    return chooseIndex(plan, { registry, resolved: await resolved(), database });
  });
  const total = once(async () => {
    if (!withTotal) return null;
    const found = await page();
    return found.joins.length > 0 ? joinedTotal(found, database) : totalOf(plan, found, { database, totals });
  });
  return { registry, database, totals, page, index, total };
}

/** Returns a function that calls `make` once, and returns its result each time. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null;
  return () => (made ??= make());
}
