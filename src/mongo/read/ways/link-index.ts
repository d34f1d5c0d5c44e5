import { isDeepStrictEqual } from 'node:util';
import type { Condition, Plan } from '../../../query/plan.js';
import { memoizePair } from '../../../caches.js';
import type { ContentType, Registry } from '../../../schema/content-type.js';
import { type Database } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { estimateSize, linksOfEntry } from '../collection-facts.js';
import type { RelatedCondition, Resolved } from '../compile-condition.js';
import { compilePage, compileSort, isById, sortsByComputed } from '../compile-page.js';
import { type IndexPlan, planIndexes } from '../plan-indexes.js';
import { tryIndex } from './try-index.js';
import type { ChosenIndex, Facts, IndexedLink } from './facts.js';
import type { Way } from './way.js';

/** Use the index of the sort only if it is estimated to read less than half the entries of the best relation index. */
const margin = 2;

/** Maximum number of ids for which the server merges the ranges of an index in its order: `internalQueryMaxScansToExplode`. */
const mostMerged = 200;

interface ChoiceContext {
  readonly registry: Registry;
  readonly resolved: Resolved;
  readonly database: Database;
}

/**
 * Returns the index by which a page with conditions on related entries is read: the one that examines the fewest entries. This is
 * the index of the sort if many entries meet the conditions, otherwise that of a relation, which also has the order of the page if
 * it contains the sorted value. The server caches one plan for all queries of the same form, and the best plan for narrow
 * conditions examines seven times as many entries for broad ones. Returns null if no relation has an index, or too little is
 * known.
 */
export async function chooseIndex(plan: Plan, { registry, resolved, database }: ChoiceContext): Promise<ChosenIndex | null> {
  const { type, condition } = plan;
  const related = condition === null ? [] : ownLinks(condition);
  if (related.length === 0 || database.session !== null || related.some((one) => idsOf(one, resolved) === null)) return null;
  const sizes = await Promise.all([type, ...related.map(({ target }) => target)].map((one) => estimateSize(one, database)));
  const [all = 0, ...targets] = sizes;
  if (targets.includes(0)) return null;
  const indexes = wholeIndexes(type, registry);
  const shares = related.map((one, at) => shareOf(one, targets[at] ?? 0, resolved));
  const links = related.flatMap((one, at): IndexedLink[] => {
    const index = indexes.get(one.path);
    const ids = idsOf(one, resolved)?.length ?? 0;
    return index === undefined ? [] : [{ condition: one, index, share: shares[at] ?? 1, ids }];
  });
  const [narrowest, ...others] = links.sort((a, b) => a.share - b.share);
  if (narrowest === undefined) return null;
  narrowestOf.set(plan, narrowest.condition);
  const found = { narrowest, entries: all * narrowest.share };
  const { isPlain, index: sorting } = orderOf(plan, registry);
  if (!isPlain) return { ...found, name: null, isOrdered: false };
  const matching = all * shares.reduce((product, share) => product * share, 1);
  const name = sorting === null && others.length === 0 ? null : narrowest.index.name;
  const candidates: readonly Candidate[] = [
    { name, isOrdered: false, examined: found.entries },
    ...(sorting === null ? [] : [{ name: sorting, isOrdered: true, examined: margin * entriesInOrder(plan, { matching, all }) }]),
    ...links
      .filter((link) => mergesInOrder(link, plan))
      .map(({ index, share, ids }) => ({
        name: index.name,
        isOrdered: true,
        examined: ids + entriesInOrder(plan, { matching, all: all * share }),
      })),
  ];
  return { ...found, ...candidates.reduce((least, one) => (one.examined < least.examined ? one : least)) };
}

/** The conditions that the fewest entries met, by plan. */
const narrowestOf = new WeakMap<Plan, RelatedCondition>();

/** Returns the condition on linked entries that the fewest entries met at the last read; null if it is not known. */
export const narrowestBefore = (plan: Plan): RelatedCondition | null => narrowestOf.get(plan) ?? null;

interface Candidate extends Pick<ChosenIndex, 'name' | 'isOrdered'> {
  /** The estimated number of entries that are examined. */
  readonly examined: number;
}

/** Reads a page by the index of a relation, or of the sort, that examines the fewest entries. */
export const linkIndex: Way = {
  name: 'index of a relation',
  fits: async ({ sort }, facts) => !sortsByComputed(sort) && ((await facts.index())?.name ?? null) !== null,
  read: async (_plan, facts) => {
    const page = await facts.page();
    const { database } = facts;
    const command = compilePage(page);
    const index = (await facts.index())?.name ?? '';
    const byIndex = (maxTimeMS: number) => readAll(database, { ...command, hint: index, maxTimeMS });
    return { documents: await tryIndex({ page, index }, { byIndex, otherwise: () => readAll(database, command) }, database) };
  },
};

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
export async function chooseOrder(plan: Plan, matching: number, { registry, database }: Facts): Promise<string | null> {
  const { index } = orderOf(plan, registry);
  if (index === null) return null;
  const all = await estimateSize(plan.type, database);
  return entriesInOrder(plan, { matching, all }) * naturalMargin < all ? index : null;
}

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

/** Returns the estimated share of entries that are linked to one of the entries that meet a condition. */
function shareOf(condition: RelatedCondition, targets: number, resolved: Resolved): number {
  const share = Math.min((idsOf(condition, resolved)?.length ?? 0) / targets, 1);
  return condition.link.many ? 1 - (1 - share) ** linksOfEntry : share;
}

/** Returns the ids of the entries that meet a condition; null if there are none, or the condition is on ids alone. */
function idsOf(condition: RelatedCondition, resolved: Resolved): readonly unknown[] | null {
  const found = resolved.get(condition)?.[condition.path] as { readonly $in?: readonly unknown[] } | undefined;
  return found?.$in === undefined || found.$in.length === 0 ? null : found.$in;
}
