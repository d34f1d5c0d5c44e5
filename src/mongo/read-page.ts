import type { Document } from 'mongodb';
import { isNever } from '../query/conditions.js';
import type { Plan } from '../query/plan.js';
import { compileCondition } from './compile-condition.js';
import { compilePage, compileProjection } from './compile-page.js';
import type { TotalCache } from './changes.js';
import { readAll, runRead, type Database } from './database.js';
import type { Loaded } from './loaded.js';
import { readTree } from './read-tree.js';
import { resolveRelated } from './resolve-related.js';

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
  const [entries, total] = await Promise.all([
    readEntries(plan, match, database),
    plan.withTotal ? readTotal(plan, match, { database, totals }) : null,
  ]);
  return { entries, total };
}

async function readEntries({ type, sort, window, selection }: Plan, match: Document, database: Database): Promise<Loaded[]> {
  const { budget } = database;
  const limit = boundLimit(window.limit, budget.left('entriesRead'));
  const page = {
    collection: type.collection,
    match,
    sort,
    window: { ...window, limit },
    projection: compileProjection(selection),
  };
  const documents = await readAll(database, compilePage(page));
  budget.spend('entriesRead', documents.length);
  return readTree(selection, documents, database);
}

/** One more than the budget has is enough to see that it is exceeded. */
const boundLimit = (limit: number | null, left: number): number | null =>
  limit === null || limit > left ? (left === Infinity ? limit : left + 1) : limit;

interface TotalContext {
  readonly database: Database;
  readonly totals: TotalCache;
}

/** Counts the entries that meet a plan's condition. Without a condition the server knows the number without counting. */
async function readTotal(plan: Plan, match: Document, { database, totals }: TotalContext): Promise<number> {
  const { collection } = plan.type;
  const count = async (): Promise<number> => {
    const reply = await runRead(database, { count: collection, ...(plan.condition !== null && { query: match }) });
    return Number(reply['n']);
  };
  return plan.plainTotal && plan.condition !== null ? totals.read(collection, JSON.stringify(match), count) : count();
}
