import { conjunctsOf } from '../../../query/conditions.js';
import type { Plan } from '../../../query/plan.js';
import { asScanned } from '../../send/database.js';
import { compileJoined, type Joins } from '../join-related.js';
import { asksForRelated, resolveRelated } from '../resolve-related.js';
import { choose } from './choose.js';
import { joinedTotal } from './joined-list.js';
import { pageOf } from './page-of.js';
import { totalOf } from './page-total.js';
import type { Facts, JoinedPage, PageContext } from './way.js';

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
    total: once(async () => {
      if (!withTotal) return null;
      const page = await facts.page();
      const total = page.joins.length > 0 ? joinedTotal(page, database) : await totalOf(plan, page, facts);
      return { ...total, count: once(total.count) };
    }),
    choice: once(() => choose(plan, facts)),
  };
  return facts;
}

/** Returns a function that calls `make` once, and returns its result each time. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null;
  return () => (made ??= make());
}
