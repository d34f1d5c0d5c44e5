import type { Document } from 'mongodb';
import type { BoundCursors, Position } from '../../query/bound-cursors.js';
import type { Plan } from '../../query/plan.js';
import type { Loaded } from '../form/loaded.js';
import { explainTimeout } from './explain-timeout.js';
import { hasOtherSide } from './other-side.js';
import { readTree } from './read-tree.js';
import { isAtCursor, positionOf } from './seek.js';
import { gatherFacts } from './ways/gather-facts.js';
import { impliedTotal, isLikelyShort } from './ways/page-total.js';
import { nothing } from './compile-condition.js';
import type { Facts, PageContext, Way } from './ways/way.js';
import { ways } from './ways/ways.js';

/** The entries of a page. */
export interface LoadedPage {
  readonly entries: readonly Loaded[];
  /** Null if it was not asked for. */
  readonly total: number | null;
  /** Absent unless the page is one by cursors. */
  readonly edges?: PageEdges;
}

/** The place of a page in its list. */
export interface PageEdges {
  /** The positions of its entries as they were read. */
  readonly positions: readonly Position[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/**
 * Reads a page and, concurrently, its total. Sends one command for each, one for each populated level, and at most one for each
 * condition on related entries, however many entries there are. Sends none for the page if no entry can meet its condition. Throws
 * a ValidationError if the time limit is exceeded because an index is missing.
 */
export const readPage = (plan: Plan, context: PageContext): Promise<LoadedPage> => {
  const facts = gatherFacts(plan, context);
  const page = plan.pagination.kind === 'cursor' ? readByCursors(plan, plan.pagination, facts) : readByFirst(plan, facts);
  return page.catch(async (error: unknown) => {
    throw await explainTimeout(error, plan, context);
  });
};

/** Reads a page, and whether there are entries on the other side of its cursor. There is one if the entry of the cursor is still there. */
async function readByCursors(plan: Plan, { backwards }: BoundCursors, facts: Facts): Promise<LoadedPage> {
  const { hasMore, beginsAtCursor, ...page } = await readByFirst(plan, facts);
  const isBehind = beginsAtCursor || (await hasOtherSide(plan, facts));
  const positions = page.entries.map(({ document }) => positionOf(document));
  const [hasNext, hasPrevious] = backwards ? [isBehind, hasMore] : [hasMore, isBehind];
  return { ...page, edges: { positions, hasNext, hasPrevious } };
}

/** The documents of a page in the order of the list. */
interface CutPage {
  readonly documents: readonly Document[];
  /** Whether more than its limit were found. */
  readonly hasMore: boolean;
  /** Whether the entry of its cursor was found before them. */
  readonly beginsAtCursor: boolean;
}

interface FoundPage extends LoadedPage, Omit<CutPage, 'documents'> {}

/**
 * Returns the number of entries that meet the condition of a plan, on all pages. Sends no command if the total is kept, and otherwise
 * one besides those of conditions on related entries. Throws a ValidationError as `readPage` does.
 */
export function readTotal(plan: Plan, context: PageContext): Promise<number> {
  const pagination = { kind: 'offset', start: 0, limit: 1 } as const; // no cursor
  const counted = { ...plan, sort: [], pagination, window: { skip: 0, limit: null }, withTotal: true };
  noteRead(plan, context);
  const begun = performance.now();
  const counting = totalIn(gatherFacts(counted, context)).catch(async (error: unknown) => {
    throw await explainTimeout(error, counted, context);
  });
  if (context.database.trace)
    void counting.then(
      () => noteWay('count', counted, context, begun),
      () => undefined,
    );
  return counting;
}

/** Tells the trace, if there is one, how a page was read. */
function noteWay(way: string, plan: Plan, { database, registry }: Omit<PageContext, 'totals'>, begun: number): void {
  database.trace?.chose(way, plan, { database, registry, ms: performance.now() - begun });
}

async function totalIn(facts: Facts): Promise<number> {
  return (await facts.page()).match === nothing ? 0 : countOf(facts);
}

async function countOf(facts: Facts): Promise<number> {
  const total = await facts.total();
  return total?.kept ?? (await total?.count()) ?? 0;
}

/** Notes the collection of a page, because a kept total needs no command. */
const noteRead = ({ type }: Plan, { database }: Pick<PageContext, 'database'>): void =>
  void database.reads?.collections.push(type.collection);

/** Reads a page by the first way that fits. */
async function readByFirst(plan: Plan, facts: Facts): Promise<FoundPage> {
  noteRead(plan, facts);
  const begun = performance.now();
  for (const way of ways) {
    if (!(await way.fits(plan, facts))) continue;
    const read = plan.withTotal && way.counts !== true ? readAndCount(way, plan, facts) : readBy(way, plan, facts);
    const page = await read.catch((error: unknown) => {
      noteWay(way.name, plan, facts, begun); // those that meet the time limit are the slowest
      throw error;
    });
    if (page === null) continue;
    noteWay(way.name, plan, facts, begun);
    return page;
  }
  throw new Error('no way of reading fits'); // the last one always does
}

async function readBy(way: Way, plan: Plan, facts: Facts): Promise<FoundPage | null> {
  const found = await way.read(plan, facts);
  if (found === null) return null;
  const { documents, total = null } = found;
  impliedTotal(plan, plan.window, documents.length); // is remembered
  const { documents: cut, ...around } = cutPage(plan, documents);
  const entries = await readEntries(plan, cut, facts);
  return { entries, total: plan.withTotal ? total : null, ...around };
}

/** Removes the documents that only show what is around a page by cursors. */
function cutPage({ window, pagination }: Plan, found: readonly Document[]): CutPage {
  if (pagination.kind !== 'cursor') return { documents: found, hasMore: false, beginsAtCursor: false };
  const beginsAtCursor = isAtCursor(found[0]);
  const others = beginsAtCursor ? found.slice(1) : found;
  const documents = others.slice(0, window.limit ?? undefined);
  const hasMore = others.length > documents.length;
  return { documents: pagination.backwards ? documents.reverse() : documents, hasMore, beginsAtCursor };
}

/**
 * Reads a page and its total. If the page is not full, the total follows from it. If that is likely, the page is read first, and
 * entries are counted only if it is full; otherwise both are read concurrently.
 */
async function readAndCount(way: Way, plan: Plan, facts: Facts): Promise<FoundPage | null> {
  const read = readBy(way, plan, facts);
  const [page, counted] = isLikelyShort(plan) ? [await read, null] : await Promise.all([read, countOf(facts)]);
  if (page === null) return null;
  return { ...page, total: impliedTotal(plan, plan.window, page.entries.length) ?? counted ?? (await countOf(facts)) };
}

function readEntries({ selection }: Plan, documents: readonly Document[], { database }: Facts): Promise<Loaded[]> {
  database.budget.spend('entriesRead', documents.length);
  return readTree(selection, documents, database);
}
