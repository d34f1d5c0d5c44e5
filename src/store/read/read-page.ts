import type { Document } from 'mongodb';
import type { BoundCursors, Position } from '#model/query/bound-cursors.js';
import type { Plan } from '#model/query/plan.js';
import type { LoadedEntry } from '../form/loaded.js';
import { readAll } from '../send/read-commands.js';
import { matchBoth, compileBeginning, compileKeys, inCollation, sortsByComputed } from './compile-page.js';
import { explainTimeout } from './explain-timeout.js';
import { joinStages } from './join-related.js';
import { readTree } from './read-tree.js';
import { byPlaces } from './ways/nearest.js';
import { compileSeek, isAtCursor, cursorPositions } from './ways/page-of.js';
import { waysOf, gatherFacts } from './ways/ways.js';
import { impliedTotal, isLikelyShort } from './ways/page-total.js';
import { nothing } from './compile-condition.js';
import type { Facts, JoinedPage, PageContext, Way } from './ways/way.js';

/** The entries of a page. */
export interface LoadedPage {
  readonly entries: readonly LoadedEntry[];
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
  return page.catch(explainTimeout(plan, context));
};

/** Reads a page, and whether there are entries on the other side of its cursor. There is one if the entry of the cursor is still there. */
async function readByCursors(plan: Plan, { backwards }: BoundCursors, facts: Facts): Promise<LoadedPage> {
  const { hasMore, beginsAtCursor, ...page } = await readByFirst(plan, facts);
  const isBehind = beginsAtCursor || (await hasOtherSide(plan, facts));
  const positions = page.entries.map(({ document }) => cursorPositions.of(document));
  const [hasNext, hasPrevious] = backwards ? [isBehind, hasMore] : [hasMore, isBehind];
  return { ...page, edges: { positions, hasNext, hasPrevious } };
}

/**
 * Returns whether a list has entries on the other side of the cursor of a page; false if there is no cursor, or the answer does not say
 * it. Sends one command, which ends at the first entry. It is not needed if the entry of the cursor was found.
 */
async function hasOtherSide({ pagination }: Plan, { page, database }: Facts): Promise<boolean> {
  if (pagination.kind !== 'cursor' || pagination.from === null || !pagination.looksBack) return false;
  const joinedPage = await page();
  if (joinedPage.match === nothing) return false;
  const { from } = pagination;
  const { near = null } = joinedPage;
  const read = async (one: JoinedPage) => (await readAll(database, compileExists(one, from))).length > 0;
  return near === null ? read(joinedPage) : byPlaces(near, (stage) => read({ ...joinedPage, near: stage }));
}

/** Returns a command that finds an entry on the other side of a position. It sorts nothing. */
function compileExists(page: JoinedPage, from: Position): Document {
  const { collection, match, before, joins, score = null, near = null } = page;
  const behind = compileSeek({ ...page, backwards: page.backwards !== true }, from, false);
  const projection = { _id: 1 };
  if (joins.length === 0 && score === null && near === null && !sortsByComputed(page.sort))
    return { find: collection, filter: matchBoth(match, behind), projection, limit: 1, ...inCollation(page) };
  const stages = [...compileBeginning(before, page), ...compileKeys(page), { $match: behind }, ...joinStages(joins, match)];
  return { aggregate: collection, pipeline: [...stages, { $limit: 1 }, { $project: projection }], ...inCollation(page) };
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
export async function readTotal(plan: Plan, context: PageContext): Promise<number> {
  const pagination = { kind: 'offset', start: 0, limit: 1 } as const; // no cursor
  const counted = { ...plan, sort: [], pagination, window: { skip: 0, limit: null }, withTotal: true };
  noteRead(plan, context);
  const begun = performance.now();
  const total = await gatherFacts(counted, context).count().catch(explainTimeout(counted, context));
  noteWay('count', counted, context, begun);
  return total;
}

/** Tells the trace, if there is one, how a page was read. */
function noteWay(way: string, plan: Plan, { database, registry }: Omit<PageContext, 'totals'>, begun: number): void {
  database.trace?.onRead(way, plan, { database, registry, ms: performance.now() - begun });
}

/** Notes the collection of a page, because a kept total needs no command. */
const noteRead = ({ type }: Plan, { database }: Pick<PageContext, 'database'>): void =>
  void database.reads?.collections.push(type.collection);

/** Reads a page by the first way that fits. */
async function readByFirst(plan: Plan, facts: Facts): Promise<FoundPage> {
  noteRead(plan, facts);
  const begun = performance.now();
  for (const way of waysOf(plan)) {
    if (!(await way.fits(plan, facts))) continue;
    const page = await readBy(way, plan, facts).catch((error: unknown) => {
      noteWay(way.name, plan, facts, begun); // those that meet the time limit are the slowest
      throw error;
    });
    if (page === null) continue;
    noteWay(way.name, plan, facts, begun);
    return page;
  }
  throw new Error('no way of reading fits'); // the last one always does
}

/**
 * Reads a page in one way, and its total if it is wanted. If the page is not full, the total follows from it. If that is likely, the
 * page is read first, and entries are counted only if it is full; otherwise both are read concurrently.
 */
async function readBy(way: Way, plan: Plan, facts: Facts): Promise<FoundPage | null> {
  const read = readEntries(way, plan, facts);
  if (!plan.withTotal || way.counts === true) return read;
  const [page, counted] = isLikelyShort(plan) ? [await read, null] : await Promise.all([read, facts.count()]);
  return page && { ...page, total: page.total ?? counted ?? (await facts.count()) };
}

/** Reads the entries of a page. The total is null unless the way counts, or it follows from the page. */
async function readEntries(way: Way, plan: Plan, facts: Facts): Promise<FoundPage | null> {
  const { database } = facts;
  const result = await way.read(plan, facts);
  if (result === null) return null;
  const implied = impliedTotal(plan, plan.window, result.documents.length);
  const { documents, ...around } = cutPage(plan, result.documents);
  database.budget.spend('entriesRead', documents.length);
  const entries = await readTree(plan.selection, documents, database);
  return { entries, total: plan.withTotal ? (result.total ?? implied) : null, ...around };
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
