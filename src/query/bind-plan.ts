import type { ContentType } from '../schema/content-type.js';
import type { Pagination, Query } from './ast.js';
import type { BindContext, BindSettings, SelectionContext } from './bind-context.js';
import { bindFilter, bindRule, bindSearch } from './bind-filter.js';
import { bindSelection } from './bind-selection.js';
import { bindSort } from './bind-sort.js';
import { memoizeBinding } from './memoize-binding.js';
import { allOf, orNull } from './conditions.js';
import { never, published, type BoundPagination, type Condition, type Plan, type Selection, type Window } from './plan.js';

/** Binds a list: filters, publication state, locale, row rules and search become one condition. Throws a ValidationError. */
export const bindPlan = memoizeBinding((query: Query, type: ContentType, context: BindContext): Plan => {
  const filter = query.filter === null ? [] : [bindFilter(query.filter, type, context)];
  const sort = bindSort(query.sort, type, context);
  const state = query.publicationState ?? 'live';
  const selection = bindSelection(query, type, { ...context, state });
  const search = query.search === null ? [] : [bindSearch(query.search, type, context)];
  const demanded = [...filter, ...search, ...bindRule(type, context)];
  const live = type.draftAndPublish && state === 'live' ? [published] : [];
  const pagination = bindPagination(query.pagination, context.settings);
  return {
    type,
    condition: orNull(allOf([...bindLocale(query.locale, type, context), ...live, ...demanded])),
    plainTotal: demanded.length === 0,
    sort,
    pagination,
    window: windowOf(pagination),
    withTotal: query.withTotal && (query.pagination?.withCount ?? context.settings.withCount),
    selection,
  };
});

/**
 * The default locale unless the query names others; `all` is any. Types that are not localized ignore it. Codes of no locale match
 * nothing, and come no further than here: what clients make up is neither counted nor kept.
 */
export function bindLocale(locale: Query['locale'], type: ContentType, { defaultLocale, locales }: BindContext): Condition[] {
  if (!type.localized || locale === 'all') return [];
  const asked = new Set(typeof locale === 'string' ? [locale] : locale);
  const codes = locale === null ? [defaultLocale] : locales.filter((code) => asked.has(code));
  const [only] = codes;
  if (only === undefined) return [never];
  const test = { kind: 'test', path: 'locale', stored: 'text', denied: false } as const;
  return [codes.length === 1 ? { ...test, test: 'eq', operand: only } : { ...test, test: 'in', operand: codes }];
}

/**
 * Binds what of one entry is read: by id, and in the answers of writes. Filters and sort have no effect there but are checked
 * all the same, as in the reference; drafts among related entries are shown unless a branch says otherwise (rest.md 10).
 */
export const bindEntrySelection = memoizeBinding((query: Query, type: ContentType, context: BindContext): Selection => {
  if (query.filter !== null) bindFilter(query.filter, type, context);
  bindSort(query.sort, type, context);
  const inner: SelectionContext = { ...context, state: 'preview' };
  return bindSelection(query, type, inner);
});

/** Applies defaults and limits (rest.md 4.4): figures below the least are raised, figures above the most are lowered. */
export function bindPagination(pagination: Pagination | null, settings: BindSettings): BoundPagination {
  const { defaultLimit } = settings;
  if (pagination?.kind === 'offset') {
    const { start, limit } = pagination;
    return { kind: 'offset', start: Math.max(start, 0), limit: limit === null ? defaultLimit : boundLimit(limit, settings) };
  }
  const pageSize = pagination?.pageSize ?? null;
  return {
    kind: 'page',
    page: Math.max(pagination?.page ?? 1, 1),
    pageSize: pageSize === null ? defaultLimit : Math.min(Math.max(pageSize, 1), settings.maxLimit ?? Infinity),
  };
}

/** -1 asks for everything that the maximum allows. */
function boundLimit(limit: number, { maxLimit }: BindSettings): number {
  if (limit === -1) return maxLimit ?? -1;
  return Math.min(Math.max(limit, 1), maxLimit ?? Infinity);
}

/** The rows to skip and to read; figures beyond what the server counts are cut there, which no collection reaches. */
export function windowOf(pagination: BoundPagination): Window {
  if (pagination.kind === 'page') {
    const skip = Math.min((pagination.page - 1) * pagination.pageSize, Number.MAX_SAFE_INTEGER);
    return { skip, limit: pagination.pageSize };
  }
  return { skip: Math.min(pagination.start, Number.MAX_SAFE_INTEGER), limit: pagination.limit === -1 ? null : pagination.limit };
}
