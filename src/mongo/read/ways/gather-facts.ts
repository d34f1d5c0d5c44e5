import { conjunctsOf } from '../../../query/conditions.js';
import type { Plan } from '../../../query/plan.js';
import { asScanned } from '../../send/database.js';
import { nothing } from '../compile-condition.js';
import { compileJoined, type Joins } from '../join-related.js';
import { asksForRelated, resolveRelated } from '../resolve-related.js';
import { choose } from './choose.js';
import { joinedTotal } from './from-related.js';
import { pageOf } from './page-of.js';
import { totalOf } from './page-total.js';
import type { Facts, JoinedPage, PageContext, PageTotal } from './way.js';

/** Returns what ways of reading are chosen by. */
export function gatherFacts(plan: Plan, context: PageContext): Facts {
  const { condition, withTotal } = plan;
  const database = asksForRelated(condition) ? asScanned(context.database) : context.database;
  const facts: Facts = {
    ...context,
    database,
    page: once(async (): Promise<JoinedPage> => {
      const joins: Joins = [];
      const resolved = await resolveRelated(condition, context.database, database.session === null ? joins : null);
      const { match, before } = compileJoined(condition, resolved, joins);
      const isAlone = joins.length === 1 && conjunctsOf(condition).some((part) => part === joins[0]?.condition);
      return { ...pageOf(plan, match, database), resolved, joins, before, isAlone };
    }),
    kept: async () => (withTotal ? (await total()).kept : null),
    count: once(async () => {
      const { kept, count } = await total();
      return kept ?? count();
    }),
    choice: once(() => choose(plan, facts)),
  };
  const total = once(async (): Promise<PageTotal> => {
    const page = await facts.page();
    if (page.match === nothing) return { kept: 0, count: () => Promise.resolve(0) };
    return page.joins.length > 0 ? joinedTotal(page, database) : totalOf(plan, page, facts);
  });
  return facts;
}

/** Returns a function that calls `make` once, and returns its result each time. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null;
  return () => (made ??= make());
}
