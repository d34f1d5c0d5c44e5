import type { Db } from 'mongodb';
import type { Condition, Plan } from '../../query/plan.js';
import { unlimited } from '../../query/budget.js';
import { memoizePair } from '../../caches.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { countStored, type Database } from '../database.js';
import { endless } from '../within-time.js';
import type { RelatedCondition, Resolved } from './compile-condition.js';
import { isById } from './compile-page.js';
import { type IndexPlan, planIndexes } from './plan-indexes.js';

interface EstimateContext {
  readonly registry: Registry;
  readonly resolved: Resolved;
  readonly database: Database;
}

/** About how many entries meet the conditions of a plan on linked entries. */
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
}

/** The index of the sort is named if the best one of a relation would read this many times as many entries: estimates may be wrong. */
const margin = 2;

/** Links of an entry to several others, as many as are assumed. */
const linksOfEntry = 3;

/** Estimates how many entries meet each condition on linked entries; null if there is none, or too little is known. */
export async function estimateLinks({ type, condition }: Plan, context: EstimateContext): Promise<LinkEstimates | null> {
  const { registry, resolved, database } = context;
  const related = condition === null ? [] : ownLinks(condition);
  if (related.length === 0 || database.session !== null || related.some((one) => idsOf(one, resolved) === null)) return null;
  const [all, ...targets] = await Promise.all(
    [type, ...related.map(({ target }) => target)].map(({ collection }) => estimateSize(collection, database)),
  );
  const indexes = wholeIndexes(type, registry);
  const links = related.flatMap((one, index): LinkEstimate[] => {
    const share = shareOf(one, targets[index] ?? 0, resolved);
    return share === null ? [] : [{ index: indexes.get(one.path) ?? null, share }];
  });
  return all === undefined || links.length < related.length ? null : { all, links };
}

/** The index that leads to a page. */
interface ChosenIndex {
  /** Null: the server decides. */
  readonly name: string | null;
  /** Whether it has the order of the page, so that no more entries are read than the page needs. */
  readonly isOrdered: boolean;
}

/**
 * Returns the index that leads to a page of entries with related ones: that of the sort if many meet the conditions, or that of the
 * relation that the fewest do. The server keeps a plan for queries of one form, and the best one for narrow conditions looks at seven times
 * as many entries as the best one for broad conditions.
 */
export function chooseIndex(plan: Plan, { all, links }: LinkEstimates, registry: Registry): ChosenIndex {
  const { isPlain, index: sorting } = orderOf(plan, registry);
  const [best, second] = byShare(links);
  if (!isPlain || best === undefined) return { name: null, isOrdered: false };
  const matching = all * links.reduce((product, { share }) => product * share, 1);
  if (sorting !== null && entriesInOrder(plan, { matching, all }) * margin < all * best.share)
    return { name: sorting, isOrdered: true };
  return { name: sorting === null && second === undefined ? null : best.index.name, isOrdered: false };
}

/**
 * Returns the index of the sort if it leads to a page by much fewer entries than all; otherwise null. `matching`: how many entries meet the
 * condition.
 */
export async function chooseOrder(plan: Plan, matching: number, { registry, database }: OrderContext): Promise<string | null> {
  const { index } = orderOf(plan, registry);
  if (index === null) return null;
  const all = await estimateSize(plan.type.collection, database);
  return entriesInOrder(plan, { matching, all }) * naturalMargin < all ? index : null;
}

type OrderContext = Pick<EstimateContext, 'registry' | 'database'>;

/** Entries of a collection that are read in their natural order in the time that one takes by an index, which is 1.3 to 5. */
const naturalMargin = 3;

/** About how many entries are looked at in the order of the sort until a page is full. */
const entriesInOrder = ({ window }: Plan, { matching, all }: { readonly matching: number; readonly all: number }): number =>
  Math.min(((window.skip + (window.limit ?? Infinity)) * all) / matching, all);

/** Whether a page is sorted by one stored value alone, and the index that has this order; null if there is none. */
function orderOf({ type, sort, window }: Plan, registry: Registry): { readonly isPlain: boolean; readonly index: string | null } {
  const [key = { path: '_id', links: [], lists: [], order: 1 }, ...others] = sort;
  const isPlain = others.every(isById) && key.links.length + key.lists.length === 0 && window.limit !== null;
  const isOneWay = others.every(({ order }) => order === key.order);
  return { isPlain, index: isPlain && isOneWay ? sortIndex(key.path, type, registry) : null };
}

/** Returns the name of the index that has entries in the order of an attribute, and of their ids in the same direction; null if there is none. */
function sortIndex(path: string, type: ContentType, registry: Registry): string | null {
  if (path === '_id') return '_id_';
  const index = wholeIndexes(type, registry).get(path);
  return index !== undefined && Object.keys(index.key).join() === `${path},_id` ? index.name : null;
}

/** A condition with an index. */
export type IndexedLink = LinkEstimate & { readonly index: IndexPlan };

/** The conditions with an index, the one that the fewest entries meet first. */
export const byShare = (links: LinkEstimates['links']): readonly IndexedLink[] =>
  links.filter((link): link is IndexedLink => link.index !== null).sort((a, b) => a.share - b.share);

/** The indexes that contain all entries, by their first path; not those of words. */
const wholeIndexes = memoizePair((type: ContentType, registry: Registry): ReadonlyMap<string, IndexPlan> => {
  const plans = planIndexes(type, registry).filter(
    ({ key, options }) => options.partialFilterExpression === undefined && !Object.values(key).includes('text'),
  );
  return new Map(plans.reverse().map((plan) => [Object.keys(plan.key)[0] ?? '', plan]));
});

/** The conditions on entries that are linked to, all of which have to be met. */
function ownLinks(condition: Condition): readonly RelatedCondition[] {
  if (condition.kind === 'and') return condition.conditions.flatMap(ownLinks);
  return condition.kind === 'related' && condition.link.storage.kind === 'own' && !condition.orMissing ? [condition] : [];
}

/** The share of entries that are linked to one of those that a condition came to; null if it is not known. */
function shareOf(condition: RelatedCondition, targets: number, resolved: Resolved): number | null {
  const ids = idsOf(condition, resolved);
  if (ids === null || targets === 0) return null;
  const share = Math.min(ids.length / targets, 1);
  return condition.link.many ? 1 - (1 - share) ** linksOfEntry : share;
}

/** The entries that a condition came to; null if there are none, or it is one on their ids alone. */
function idsOf(condition: RelatedCondition, resolved: Resolved): readonly unknown[] | null {
  const found = resolved.get(condition)?.[condition.path] as { readonly $in?: readonly unknown[] } | undefined;
  return found?.$in === undefined || found.$in.length === 0 ? null : found.$in;
}

interface Size {
  readonly size: Promise<number>;
  readonly until: number;
}

/** The sizes of collections, by database, which are cached for a while. */
const databases = new WeakMap<Db, Map<string, Size>>();

/** Milliseconds that the size of a collection is good enough for an estimate. */
const goodFor = 60_000;

/** Returns about how many entries a collection has: as many as a while ago. */
export function estimateSize(collection: string, database: Database): Promise<number> {
  const sizes = databases.get(database.db) ?? new Map<string, Size>();
  databases.set(database.db, sizes);
  const kept = sizes.get(collection);
  if (kept !== undefined && kept.until > Date.now()) return kept.size;
  // for all requests, so that it does not end with one of them
  const size = countStored(collection, {
    ...database,
    isScanned: false,
    session: null,
    budget: unlimited,
    time: endless,
    turns: null,
    sender: null,
  });
  sizes.set(collection, { size, until: Date.now() + goodFor });
  size.catch(() => sizes.delete(collection));
  return size;
}
