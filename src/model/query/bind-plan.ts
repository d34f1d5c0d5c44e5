import { BoundedCache } from '#base/caches.js';
import { isPlainObject } from '#base/values.js';
import type { ContentType } from '../schema/content-type.js';
import type { Query } from './ast.js';
import type { BindContext, VisibleContext } from './bind-context.js';
import { bindFallback, type BoundFallback } from './bind-fallback.js';
import { bindFilter, bindPublication, bindRule } from './bind-filter.js';
import { bindSearchOf } from './bind-search.js';
import { bindPagination, bindSort, windowOf } from './bind-list.js';
import { nestedLists } from './bind-nested.js';
import { bindSelection } from './bind-selection.js';
import { unlimited } from '#base/limits/budget.js';
import { allOf, foldCondition, localeIn, orNull, termsOf } from './conditions.js';
import { currentMoment } from './moment.js';
import { findNear } from './places/near.js';
import { type Condition, distancePath, type NestedList, type Plan, scorePath, type Selection, type SortKey } from './plan.js';

type Bind<Bound> = (query: Query, type: ContentType, context: BindContext) => Bound;

interface Memo<Bound> {
  readonly type: ContentType;
  readonly context: BindContext;
  readonly bound: Bound;
  /** The value of `$now` in the result; null if the result does not depend on the time. */
  readonly moment: number | null;
}

/** Bounds of the cache of plans: most take a few hundred bytes, those with nested polymorphic relations megabytes. */
const bounds = { entries: 2_000, bytes: 32_000_000 };

/** The sizes of cached queries, in bytes. */
const repeated = new WeakMap<Query, number>();

/** Marks a query of this size, in bytes, as cached, so that plans bound from it are cached as well, within bounds. */
export function markRepeated(query: Query, bytes: number): Query {
  repeated.set(query, bytes);
  return query;
}

/**
 * Returns a function that binds a query object once for the same type, registry, caller and settings, and then returns the same immutable
 * result, if it names `$now` for as long as that has the same value. Only the request that binds spends its budget. `weigh` returns the
 * approximate size of a result in bytes.
 */
function memoizeBinding<Bound>(bind: Bind<Bound>, weigh: (bound: Bound) => number): Bind<Bound> {
  const ofClients = new BoundedCache<Memo<Bound>, Query>(bounds);
  // For queries that are constants of the code, or belong to one request.
  const others = new WeakMap<Query, Memo<Bound>>();
  return (query, type, context) => {
    if (context.access.entry !== undefined) return bind(query, type, context); // no other request has this access
    const bytes = repeated.get(query);
    const memo = bytes === undefined ? others.get(query) : ofClients.get(query);
    if (memo !== undefined && memo.type === type && bindsAlike(memo.context, context) && isOfNow(memo, context))
      return memo.bound;
    let moment: number | null = null;
    const bound = bind(query, type, { ...context, now: () => (moment ??= momentOf(context)) });
    const made = { type, context: { ...context, budget: unlimited }, bound, moment };
    if (bytes === undefined) others.set(query, made);
    else ofClients.set(query, made, bytes + weigh(bound));
    return bound;
  };
}

const momentOf = ({ now = currentMoment }: BindContext): number => now();

const isOfNow = ({ moment }: Pick<Memo<unknown>, 'moment'>, context: BindContext): boolean =>
  moment === null || moment === momentOf(context);

/** The parts of the context that plans depend on. A part that is missing here does not compile. */
const parts: Readonly<Record<Exclude<keyof BindContext, 'budget' | 'now'>, true>> = {
  registry: true,
  access: true,
  limits: true,
  settings: true,
  defaultLocale: true,
  locales: true,
};
const partNames = Object.keys(parts) as readonly (keyof typeof parts)[]; // of the record above

/** Returns whether a query is bound to the same result in two contexts. */
export const bindsAlike = (one: BindContext, other: BindContext): boolean =>
  one === other || partNames.every((name) => one[name] === other[name]);

const bindList = (query: Query, type: ContentType, context: BindContext): Plan => {
  const state = query.publicationState ?? 'live';
  const nearList = findNear(query.filter, type, context);
  const written = nearList?.filter ?? query.filter;
  const scoped = { ...context, state };
  const filter = written === null ? [] : [bindFilter(written, type, scoped)];
  const sort = bindOrder(query, type, context, nearList !== null);
  const selection = bindSelection(query, type, context, state);
  const search = bindSearchOf(query, type, context);
  const { locales, fallback } = bindLocales(query, type, scoped);
  const rules = bindRule(type, context);
  const isLent = context.access.entry?.uid === type.uid; // the totals of a scope are kept, but not those with an entry of somebody else
  const publication = bindPublication(type, state, context);
  const scope = orNull(allOf([...locales, ...rules.filter((rule) => isOnLocale(rule, type)), ...(isLent ? [] : publication)]));
  const further = [...rules.filter((rule) => !isOnLocale(rule, type)), ...(isLent ? publication : [])];
  const demanded = allOf([...fallback, ...filter, ...search, ...further]);
  const isWhole = orNull(demanded) === null;
  const pagination = bindPagination(query.pagination, context.settings);
  return {
    type,
    condition: isWhole ? scope : allOf(scope === null ? [demanded] : [scope, demanded]),
    scope,
    isWhole,
    sort,
    pagination,
    window: windowOf(pagination),
    withTotal: query.withTotal && (query.pagination?.withCount ?? context.settings.withCount),
    selection: query.withVersions === true ? { ...selection, withVersions: true } : selection,
    ...(nearList !== null && { near: nearList.near }),
    ...(query.search !== null && query.foundEntries !== undefined && { foundEntries: query.foundEntries }),
  };
};

/** Returns whether a rule is on the locale of entries alone, as those of administrators who may see some locales. */
function isOnLocale(rule: Condition, { localized }: ContentType): boolean {
  const terms = localized ? termsOf(rule) : [];
  return terms.length > 0 && terms.every((term) => term.kind === 'comparison' && term.path === 'locale');
}

const byDistance: SortKey = { links: [], path: distancePath, lists: [], order: 1 };
const byScore: SortKey = { links: [], path: scorePath, lists: [], order: 1 };

/**
 * Binds the order of a list, unless the query names one: of one that is near to a place it is by distance, and of what was found outside
 * of the database as it was found.
 */
export function bindOrder(query: Query, type: ContentType, context: BindContext, isNear: boolean): readonly SortKey[] {
  const sort = bindSort(query, type, context);
  if (sort.length > 0) return sort;
  return isNear ? [byDistance] : query.search !== null && query.foundEntries !== undefined ? [byScore] : sort;
}

/** Binds a list: filters, publication state, locale, row rules and search become one condition. Throws a ValidationError. */
export const bindPlan = memoizeBinding(bindList, weighPlan);

/**
 * Returns the condition on the locale: the default locale unless the query names others. There is none for `all`, and for types
 * that are not localized. Unknown codes match nothing. They are removed here, so that no total is counted or cached for codes
 * that clients make up.
 */
function bindLocale(locale: Query['locale'], type: ContentType, { defaultLocale, locales }: BindContext): Condition[] {
  if (!type.localized || locale === 'all') return [];
  const asked = new Set(typeof locale === 'string' ? [locale] : locale);
  const codes = locale === null ? [defaultLocale] : locales.filter((code) => asked.has(code));
  return [localeIn(codes)];
}

/** Returns the conditions on locales, and on what other locales the localizations of an entry have. */
export const bindLocales = (query: Query, type: ContentType, context: VisibleContext): BoundFallback =>
  query.fallbackLocales === null
    ? { locales: bindLocale(query.locale, type, context), fallback: [] }
    : bindFallback(query, query.fallbackLocales, type, context);

const bindEntry = (query: Query, type: ContentType, context: BindContext): Selection => {
  if (query.filter !== null) bindFilter(query.filter, type, context);
  bindSort(query, type, context);
  return bindSelection(query, type, context, 'preview');
};

/**
 * Binds the selection on one entry: for reads by id, and for the answers of writes. Filters and sort have no effect there but are
 * checked, as in Strapi v4. Drafts among related entries are shown unless a branch says otherwise.
 */
export const bindEntrySelection = memoizeBinding(bindEntry, weighSelection);

/** Returns the approximate size of a plan in memory, in bytes, with the projections that are compiled from it. */
export function weighPlan({ condition, sort, selection }: Plan): number {
  return weighList({ condition, sort }) + weighSelection(selection);
}

/** Returns the approximate size of a selection in memory, in bytes. Parts that several branches share count once. */
function weighSelection(selection: Selection): number {
  const selections = new Set<Selection>();
  const open = [selection];
  let bytes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (selections.has(next)) continue;
    selections.add(next);
    bytes += 300 + 30 * next.fields.length;
    for (const child of next.locales === null ? next.children : [...next.children, next.locales]) {
      const inner = nestedLists(child);
      bytes += 200 + weighAll(inner, (list) => 60 + weighList(list));
      if (child.kind === 'morph') bytes += weighAll(child.sources ?? [], weighSource);
      open.push(...inner.map(({ selection }) => selection));
    }
  }
  return bytes;
}

const weighList = ({ condition, sort }: Pick<NestedList, 'condition' | 'sort'>): number =>
  (condition === null ? 0 : weighCondition(condition)) + weighAll(sort, weighKey);

const weighSource = ({ condition }: { readonly condition: Condition | null }): number =>
  200 + (condition === null ? 0 : weighCondition(condition));

const weighKey = ({ links }: SortKey): number => 200 + 100 * links.length;

const weighCondition = (condition: Condition): number =>
  foldCondition<number>(condition, (one, parts) => {
    const own = one.kind === 'comparison' ? weighOperand(one.operand) : one.kind === 'search' ? 2 * one.text.length : 0;
    return parts.reduce((sum, part) => sum + part, own + ('path' in one && one.kind !== 'comparison' ? 200 : 60));
  });

function weighOperand(operand: unknown): number {
  if (Array.isArray(operand)) return weighAll(operand, weighOperand);
  if (isPlainObject(operand)) return 30 + weighAll(Object.values(operand), weighOperand); // a shape
  return typeof operand === 'string' ? 30 + 2 * operand.length : 16;
}

const weighAll = <Item>(items: readonly Item[], weigh: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + weigh(item), 0);
