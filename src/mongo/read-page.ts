import type { Document } from 'mongodb';
import { isNever } from '../query/conditions.js';
import type { Plan } from '../query/plan.js';
import { compileCondition } from './compile-condition.js';
import { compilePage } from './compile-page.js';
import { compileProjection } from './compile-page.js';
import { readAll, runRead, type Database } from './database.js';
import type { Loaded } from './loaded.js';
import { readTree } from './read-tree.js';
import { resolveRelated } from './resolve-related.js';
import type { TotalCache } from './total-cache.js';

/** The entries of a page. */
export interface LoadedPage {
  readonly entries: readonly Loaded[];
  /** Null if it was not wanted. */
  readonly total: number | null;
}

/**
 * Reads a page and, at the same time, its total. One command for each, one for each level that is populated, and one for each
 * condition on related entries: the number depends on the plan alone.
 */
export async function readPage(plan: Plan, database: Database, totals: TotalCache): Promise<LoadedPage> {
  if (plan.condition !== null && isNever(plan.condition)) return { entries: [], total: plan.withTotal ? 0 : null };
  const match = compileCondition(plan.condition, await resolveRelated(plan.condition, database));
  const page = {
    collection: plan.type.collection,
    match,
    sort: plan.sort,
    window: plan.window,
    projection: compileProjection(plan.selection),
  };
  const [entries, total] = await Promise.all([
    readAll(database, compilePage(page)).then((documents) => readTree(plan.selection, documents, database)),
    plan.withTotal ? readTotal(plan, match, { database, totals }) : null,
  ]);
  return { entries, total };
}

interface TotalContext {
  readonly database: Database;
  readonly totals: TotalCache;
}

/** Counts the entries that meet a plan's condition. Without a condition the server knows the number without counting. */
export async function readTotal(plan: Plan, match: Document, { database, totals }: TotalContext): Promise<number> {
  const { collection } = plan.type;
  const count = async (): Promise<number> => {
    const reply = await runRead(database, { count: collection, ...(plan.condition !== null && { query: match }) });
    return Number(reply['n']);
  };
  return plan.plainTotal && plan.condition !== null ? totals.read(collection, JSON.stringify(match), count) : count();
}
