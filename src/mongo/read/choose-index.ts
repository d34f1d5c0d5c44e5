import { isDeepStrictEqual } from 'node:util';
import type { Condition, Plan } from '../../query/plan.js';
import { memoizePair } from '../../caches.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Database } from '../database.js';
import { estimateSize } from './collection-facts.js';
import type { RelatedCondition, Resolved } from './compile-condition.js';
import { compileSort, isById } from './compile-page.js';
import { type IndexPlan, planIndexes } from './plan-indexes.js';

interface EstimateContext {
  readonly registry: Registry;
  readonly resolved: Resolved;
  readonly database: Database;
}

/** Estimates of how many entries meet the conditions of a plan on linked entries. */
export interface LinkEstimates {
  /** Entries of the type. */
  readonly all: number;
  readonly links: readonly LinkEstimate[];
}

/** A condition on linked entries, with the index of the attribute, if there is one. */
interface LinkEstimate {
  readonly index: IndexPlan | null;
  /** The share of the entries that meet the condition. */
  readonly share: number;
  /** The number of linked entries that meet the condition. */
  readonly ids: number;
}

/**
 * Factor by which the best index of a relation must read more entries than the index of the sort before the latter is chosen,
 * because estimates may be wrong.
 */
const margin = 2;

/** Assumed number of links in a relation to many. */
const linksOfEntry = 3;

/** Maximum number of ids for which the server merges the ranges of an index in its order: `internalQueryMaxScansToExplode`. */
const mostMerged = 200;

/** Estimates how many entries meet each condition on linked entries; null if there is none, or too little is known. */
export async function estimateLinks({ type, condition }: Plan, context: EstimateContext): Promise<LinkEstimates | null> {
  const { registry, resolved, database } = context;
  const related = condition === null ? [] : ownLinks(condition);
  if (related.length === 0 || database.session !== null || related.some((one) => idsOf(one, resolved) === null)) return null;
  const [all, ...targets] = await Promise.all(
    [type, ...related.map(({ target }) => target)].map((one) => estimateSize(one, database)),
  );
  const indexes = wholeIndexes(type, registry);
  const links = related.flatMap((one, index): LinkEstimate[] => {
    const share = shareOf(one, targets[index] ?? 0, resolved);
    const ids = idsOf(one, resolved)?.length ?? 0;
    return share === null ? [] : [{ index: indexes.get(one.path) ?? null, share, ids }];
  });
  return all === undefined || links.length < related.length ? null : { all, links };
}

/** The index by which a page is read. */
interface ChosenIndex {
  /** Null if the server decides. */
  readonly name: string | null;
  /** Whether the index has the order of the page, so that only the entries are read that the page needs. */
  readonly isOrdered: boolean;
}

/** An index by which a page can be read, and an estimate of the entries that are examined. */
interface Candidate extends ChosenIndex {
  readonly entries: number;
}

/**
 * Returns the index by which a page with conditions on related entries is read: the one that examines the fewest entries. This is
 * the index of the sort if many entries meet the conditions, otherwise that of a relation, which also has the order of the page if
 * it contains the sorted value. The server caches one plan for all queries of the same form, and the best plan for narrow
 * conditions examines seven times as many entries for broad ones.
 */
export function chooseIndex(plan: Plan, { all, links }: LinkEstimates, registry: Registry): ChosenIndex {
  const { isPlain, index: sorting } = orderOf(plan, registry);
  const indexed = byShare(links);
  const [best, second] = indexed;
  if (!isPlain || best === undefined) return { name: null, isOrdered: false };
  const matching = all * links.reduce((product, { share }) => product * share, 1);
  const candidates: readonly Candidate[] = [
    { name: sorting === null && second === undefined ? null : best.index.name, isOrdered: false, entries: all * best.share },
    ...(sorting === null ? [] : [{ name: sorting, isOrdered: true, entries: margin * entriesInOrder(plan, { matching, all }) }]),
    ...indexed
      .filter((link) => mergesInOrder(link, plan))
      .map(({ index, share, ids }) => ({
        name: index.name,
        isOrdered: true,
        entries: ids + entriesInOrder(plan, { matching, all: all * share }),
      })),
  ];
  return candidates.reduce((least, one) => (one.entries < least.entries ? one : least));
}

/** Returns whether the index of a relation has the entries of each id in the order of a page, so that the server can merge them. */
function mergesInOrder({ index, ids }: IndexedLink, { sort }: Plan): boolean {
  const order = Object.entries(compileSort(sort));
  const behind = Object.entries(index.key).slice(1, order.length + 1);
  const isSame = (direction: 1 | -1): boolean =>
    isDeepStrictEqual(
      behind,
      order.map(([path, to]) => [path, direction * Number(to)]),
    );
  return ids <= mostMerged && (isSame(1) || isSame(-1));
}

/**
 * Returns the index of the sort if reading the page by it examines far fewer entries than all; otherwise null. `matching` is the
 * number of entries that meet the condition.
 */
export async function chooseOrder(plan: Plan, matching: number, { registry, database }: OrderContext): Promise<string | null> {
  const { index } = orderOf(plan, registry);
  if (index === null) return null;
  const all = await estimateSize(plan.type, database);
  return entriesInOrder(plan, { matching, all }) * naturalMargin < all ? index : null;
}

type OrderContext = Pick<EstimateContext, 'registry' | 'database'>;

/**
 * Number of entries that the server reads in their natural order in the time of one entry by an index. It was measured as 1.3 to
 * 5.
 */
const naturalMargin = 3;

/** Returns the approximate number of entries that are examined in the order of the sort until a page is full. */
const entriesInOrder = ({ window }: Plan, { matching, all }: { readonly matching: number; readonly all: number }): number =>
  Math.min(((window.skip + (window.limit ?? Infinity)) * all) / matching, all);

/** Returns whether a page is sorted by a single stored value, and the index with this order; null if there is none. */
function orderOf({ type, sort, window }: Plan, registry: Registry): { readonly isPlain: boolean; readonly index: string | null } {
  const [key = { path: '_id', links: [], lists: [], order: 1 }, ...others] = sort;
  const isPlain = others.every(isById) && key.links.length + key.lists.length === 0 && window.limit !== null;
  const isOneWay = others.every(({ order }) => order === key.order);
  return { isPlain, index: isPlain && isOneWay ? sortIndex(key.path, type, registry) : null };
}

/** Returns the name of the index that sorts entries by an attribute, and by id in the same direction; null if there is none. */
function sortIndex(path: string, type: ContentType, registry: Registry): string | null {
  if (path === '_id') return '_id_';
  const index = wholeIndexes(type, registry).get(path);
  return index !== undefined && Object.keys(index.key).join() === `${path},_id` ? index.name : null;
}

/** A condition with an index. */
export type IndexedLink = LinkEstimate & { readonly index: IndexPlan };

/** Returns the conditions with an index, beginning with the one that the fewest entries meet. */
export const byShare = (links: LinkEstimates['links']): readonly IndexedLink[] =>
  links.filter((link): link is IndexedLink => link.index !== null).sort((a, b) => a.share - b.share);

/** Returns the indexes that contain all entries, by their first path, except for full-text indexes. */
const wholeIndexes = memoizePair((type: ContentType, registry: Registry): ReadonlyMap<string, IndexPlan> => {
  const plans = planIndexes(type, registry).filter(
    ({ key, options }) => options.partialFilterExpression === undefined && !Object.values(key).includes('text'),
  );
  return new Map(plans.reverse().map((plan) => [Object.keys(plan.key)[0] ?? '', plan]));
});

/** Returns the conditions on linked entries that an entry must meet. */
function ownLinks(condition: Condition): readonly RelatedCondition[] {
  if (condition.kind === 'and') return condition.conditions.flatMap(ownLinks);
  return condition.kind === 'related' && condition.link.storage.kind === 'own' && !condition.orMissing ? [condition] : [];
}

/**
 * Returns the estimated share of entries that are linked to one of the entries that meet a condition; null if it is not known.
 */
function shareOf(condition: RelatedCondition, targets: number, resolved: Resolved): number | null {
  const ids = idsOf(condition, resolved);
  if (ids === null || targets === 0) return null;
  const share = Math.min(ids.length / targets, 1);
  return condition.link.many ? 1 - (1 - share) ** linksOfEntry : share;
}

/** Returns the ids of the entries that meet a condition; null if there are none, or the condition is on ids alone. */
function idsOf(condition: RelatedCondition, resolved: Resolved): readonly unknown[] | null {
  const found = resolved.get(condition)?.[condition.path] as { readonly $in?: readonly unknown[] } | undefined;
  return found?.$in === undefined || found.$in.length === 0 ? null : found.$in;
}
