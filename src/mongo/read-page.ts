import type { Document } from 'mongodb';
import { isNever } from '../query/conditions.js';
import type { Plan, Selection } from '../query/plan.js';
import type { Registry } from '../schema/content-type.js';
import { compileCondition } from './compile-condition.js';
import { compilePage, compileProjection, type Page } from './compile-page.js';
import type { TotalCache } from './changes.js';
import { asScanned, readAll, runRead, type Database } from './database.js';
import type { Loaded } from './loaded.js';
import { readTree } from './read-tree.js';
import { asksForRelated, resolveRelated } from './resolve-related.js';
import { isScanned, scanPage } from './scan-page.js';

/** The entries of a page. */
export interface LoadedPage {
  readonly entries: readonly Loaded[];
  /** Null if it was not wanted. */
  readonly total: number | null;
}

interface PageContext extends TotalContext {
  readonly registry: Registry;
}

/**
 * Reads a page and, at the same time, its total. Sends one command for each, one for each level that is populated, and one for each
 * condition on related entries: the number depends on the plan alone.
 */
export async function readPage(plan: Plan, { registry, totals, ...context }: PageContext): Promise<LoadedPage> {
  const { condition, withTotal, selection } = plan;
  if (condition !== null && isNever(condition)) return { entries: [], total: withTotal ? 0 : null };
  const database = asksForRelated(condition) ? asScanned(context.database) : context.database;
  const match = compileCondition(condition, await resolveRelated(condition, database));
  const page = pageOf(plan, match, database);
  if (condition !== null && isScanned(plan, registry)) {
    const { documents, total } = await scanPage(page, condition, database);
    return { entries: await readEntries(selection, documents, database), total };
  }
  const [entries, total] = await Promise.all([
    readAll(database, compilePage(page)).then((documents) => readEntries(selection, documents, database)),
    withTotal ? readTotal(plan, match, { database, totals }) : null,
  ]);
  return { entries, total };
}

function pageOf({ type, sort, window, selection }: Plan, match: Document, { budget }: Database): Page {
  const limit = boundLimit(window.limit, budget.left('entriesRead'));
  return {
    collection: type.collection,
    match,
    sort,
    window: { ...window, limit },
    projection: compileProjection(selection),
  };
}

async function readEntries(selection: Selection, documents: readonly Document[], database: Database): Promise<Loaded[]> {
  database.budget.spend('entriesRead', documents.length);
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
