import { readPage, readTotal, type LoadedPage } from '#store/read/read-page.js';
import type { Query } from '#model/query/ast.js';
import { bindPlan } from '#model/query/bind-plan.js';
import type { BoundCursors } from '#model/query/bound-cursors.js';
import type { BoundPagination } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { ContentContext, PendingRead } from './content-context.js';
import { contextForRead } from './drafts.js';
import { findOutside, maySearchOutside } from './find-outside.js';
import { ownContext, placeLent } from './lent-entry.js';
import { surroundingReads } from './surrounded-reads.js';
import { cursorsOf, movedPosition, openCursor, type PageCursors, scopeOf, unsealCursor } from './cursors.js';

/** A page as it is answered: its entries, and the pagination that was in force. */
export interface FoundPage extends LoadedPage {
  readonly pagination: BoundPagination;
  /** Absent unless the page is one by cursors. */
  readonly cursors?: PageCursors;
  /** Whether something outside of the database has found its entries, and more than it returns. */
  readonly isSearchTruncated?: true;
}

/**
 * Returns a page of a content type, with its total if it is wanted. Throws a ValidationError for names that the query may not
 * use, and for cursors of other lists.
 */
export async function findMany(type: ContentType, clientQuery: Query, callerContext: ContentContext): Promise<FoundPage> {
  const query = maySearchOutside(clientQuery, callerContext) ? await findOutside(type, clientQuery, callerContext) : clientQuery;
  const plan = bindPlan(query, type, callerContext.bind);
  const context = await contextForRead(query, plan, callerContext);
  const read = { query, plan, id: null };
  const page = await (plan.pagination.kind === 'cursor'
    ? findByCursors(read, plan.pagination, context)
    : findPage(read, context));
  return plan.foundEntries?.isTruncated === true ? { ...page, isSearchTruncated: true } : page;
}

/** Throws a ValidationError as `findMany` does, without reading entries. A page that is not read is checked by it. */
export function checkPage(type: ContentType, query: Query, context: ContentContext): void {
  const read = { query, plan: bindPlan(query, type, context.bind), id: null };
  const { pagination } = read.plan;
  if (pagination.kind === 'cursor' && pagination.cursor !== null)
    unsealCursor(pagination.cursor, { scope: scopeOf(read), context });
}

async function findByCursors(read: PendingRead, pagination: BoundCursors, context: ContentContext): Promise<FoundPage> {
  const { plan } = read;
  const list = { plan, scope: scopeOf(read), context };
  const opened = pagination.cursor === null ? null : await openCursor(pagination.cursor, list);
  const from = opened === null ? null : movedPosition(opened, plan);
  const page = await findPage({ ...read, plan: { ...plan, pagination: { ...pagination, from } } }, context);
  return page.edges === undefined ? page : { ...page, cursors: cursorsOf(page.edges, list) };
}

async function findPage(read: PendingRead, context: ContentContext): Promise<FoundPage> {
  const page = await readPageOf(read, context);
  if (context.bind.access.entry === undefined) return page;
  return { ...page, entries: await placeLent(page.entries, read.query, context) };
}

async function readPageOf(read: PendingRead, context: ContentContext): Promise<FoundPage> {
  const { plan } = read;
  const { type, pagination, withTotal } = plan;
  const surrounded = surroundingReads(type, context);
  if (surrounded === null)
    return { pagination, ...(await readPage(plan, { registry: context.bind.registry, ...context.store })) };
  const page = await surrounded.many(read, context);
  return { pagination, ...page, total: withTotal ? await surrounded.count(read, context) : null };
}

/**
 * Returns the number of entries that meet a query, on all pages, by the rights of the caller alone. Throws a ValidationError as `findMany`
 * does.
 */
export async function countEntries(type: ContentType, clientQuery: Query, caller: ContentContext): Promise<number> {
  const own = ownContext(type, caller);
  const query = maySearchOutside(clientQuery, own) ? await findOutside(type, clientQuery, own, { isWhole: true }) : clientQuery;
  const plan = bindPlan(unordered(query), type, own.bind);
  const context = await contextForRead(query, plan, own);
  const { bind, store } = context;
  const surrounded = surroundingReads(type, context);
  const whole = { ...plan, window: { skip: 0, limit: null } }; // code sees no page
  if (surrounded !== null) return surrounded.count({ query, plan: whole, id: null }, context);
  return readTotal(plan, { registry: bind.registry, ...store });
}

/** Returns a query without order and page; the same object if it has neither, because bindings are cached by it. */
const unordered = (query: Query): Query =>
  query.sort.length === 0 && query.pagination === null ? query : { ...query, sort: [], pagination: null };
