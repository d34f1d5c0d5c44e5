import type { Document } from 'mongodb';
import { type Comparison, conjunctsOf } from '#model/query/conditions.js';
import type { Condition, Plan } from '#model/query/plan.js';
import { addedAs } from '#model/schema/added-attributes.js';
import type { ContentType } from '#model/schema/content-type.js';
import { estimateCount, estimateSize, fewEntries, linksOfEntry, readLeading } from '../collection-facts.js';
import { compileCondition, type RelatedCondition, type ResolvedFilters } from '../compile-condition.js';
import { collationOf, compileSort, sortsByComputed } from '../compile-page.js';
import { firstPath, type Indexes, isServed, type Leading, modelLeading } from '../is-served.js';
import { needsRelatedReads } from '../related-commands.js';
import { entriesInOrder, hasOrder, indexOfSort, margin, wholeIndexes } from './index-order.js';
import { leadsToFew } from './page-total.js';
import type { Choice, Facts } from './way.js';
import { isSought } from './page-of.js';

/** Maximum number of ids for which the server merges the ranges of an index in its order: `internalQueryMaxScansToExplode`. */
const mostMerged = 200;

const serverDecides: Choice = { hint: null, inOnePass: false };

/** Chooses how the entries of a page are found. */
export async function choose(plan: Plan, facts: Facts): Promise<Choice> {
  const { rank = null, score = null } = await facts.page();
  if (rank !== null || score !== null || sortsByComputed(plan.sort) || collationOf(plan.sort) !== null) return serverDecides;
  return (await chooseByLinks(plan, facts)) ?? chooseByIndexes(plan, facts);
}

/** Returns whether a page is so near to the beginning that a pass can keep all entries up to its end. */
const isPassable = ({ window: { skip, limit }, withTotal, pagination }: Plan): boolean =>
  withTotal && limit !== null && skip + limit <= fewEntries && !isSought({ pagination });

/** An index by which a page can be read. */
interface Candidate {
  readonly index: string;
  /** Whether it has the order of the page, so that only the entries are read that the page needs. */
  readonly isOrdered: boolean;
  /** The estimated number of entries that are examined. */
  readonly examined: number;
}

/**
 * Chooses the index that examines the fewest entries of a page with conditions on linked entries. This is the index of the sort if
 * many entries meet the conditions, otherwise that of a relation, which also has the order of the page if it contains the sorted
 * value. The server caches one plan for all queries of the same form, and the best plan for narrow conditions examines seven times
 * as many entries for broad ones. It decides nevertheless if the model asks for an index that serves another condition, because it
 * finds out how many entries meet that. Returns null if all entries are wanted, no relation has an index, another condition leads to
 * few entries, or too little is known.
 */
async function chooseByLinks(plan: Plan, facts: Facts): Promise<Choice | null> {
  const { type, condition } = plan;
  const { registry, database } = facts;
  if (database.session !== null || plan.window.limit === null || !needsRelatedReads(condition) || leadsToFew(plan)) return null;
  const links = await linksOf(plan, facts);
  const indexes = wholeIndexes(type, registry);
  const indexed = links
    .flatMap((link) =>
      indexes.filter(({ key }) => firstPath(key, type) === link.condition.path).map((index) => ({ ...link, index })),
    )
    .sort((a, b) => a.share - b.share);
  const [narrowest] = indexed;
  if (narrowest === undefined) return null;
  noteNarrowest(plan, narrowest.condition);
  if (hasOwnIndex(plan, facts)) return serverDecides;
  const all = await estimateSize(type, database);
  const cachedTotal = await facts.cachedTotal();
  const matching = cachedTotal ?? links.reduce((left, { share }) => left * share, all);
  const order = compileSort(plan.sort);
  const candidates: readonly Candidate[] = [
    { index: narrowest.index.name, isOrdered: false, examined: all * narrowest.share },
    ...indexes
      .filter((one) => hasOrder(one, order))
      .map(({ name }) => ({ index: name, isOrdered: true, examined: margin * entriesInOrder(plan, all, matching) })),
    ...indexed
      .filter(({ ids, index }) => ids <= mostMerged && hasOrder(index, order, 1))
      .map(({ ids, index, share }) => ({
        index: index.name,
        isOrdered: true,
        examined: ids + entriesInOrder(plan, all * share, matching),
      })),
  ];
  const { index, isOrdered, examined } = candidates.reduce((least, one) => (one.examined < least.examined ? one : least));
  const inOnePass = isPassable(plan) && !isOrdered && examined > fewEntries && cachedTotal === null;
  // the server needs no hint if there is nothing else to choose
  return { hint: inOnePass || candidates.length > 1 || links.length > 1 ? index : null, inOnePass };
}

/** Returns whether every type has an index of a value. Most entries meet most conditions on these, such as dates after a day. */
const isIndexedAlways = (type: ContentType, path: string): boolean =>
  path === '_id' || ['time', 'state'].includes(addedAs(type, path) ?? '');

/**
 * Returns whether indexes find the entries by a further condition: one on an attribute that the model asks for an index of, on some ids, on
 * related entries that store the link, or several such conditions one of which an entry must meet.
 */
function hasOwnIndex({ type, condition }: Plan, { registry, database: { searches } }: Facts): boolean {
  const indexes = { ...modelLeading(type, registry), searches };
  const isFound = (part: Condition): boolean => {
    switch (part.kind) {
      case 'and':
        return part.conditions.some(isFound);
      case 'or':
        return part.conditions.every(isFound);
      case 'comparison':
        return isIndexedAlways(type, part.path) ? isOfIds(part) : isServed(part, indexes);
      case 'related':
        return !part.orMissing && (part.link.storage.kind === 'inverse' || indexes.leads(part.path));
      default:
        return false;
    }
  };
  return conjunctsOf(condition).some((part) => !isOwnLink(part) && isFound(part));
}

const isOfIds = ({ path, comparator, denied }: Comparison): boolean =>
  path === '_id' && !denied && (comparator === 'eq' || comparator === 'in');

/** A condition on linked entries that each entry must meet. */
interface Link {
  readonly condition: RelatedCondition;
  /** The number of linked entries that meet the condition. */
  readonly ids: number;
  /** The estimated share of the entries that meet the condition. */
  readonly share: number;
}

/** Returns the conditions on linked entries; none if one of them is met by no entry, or is on ids alone. */
async function linksOf({ condition }: Plan, { page, database }: Facts): Promise<readonly Link[]> {
  const { resolvedFilters } = await page();
  const links = conjunctsOf(condition)
    .filter(isOwnLink)
    .map((one) => ({ condition: one, ids: countIds(one, resolvedFilters) }));
  if (links.some(({ ids }) => ids === 0)) return [];
  const estimate = async ({ condition: { link, target }, ids }: (typeof links)[number]): Promise<number> => {
    const share = Math.min(ids / (await estimateSize(target, database)), 1);
    return link.many ? 1 - (1 - share) ** linksOfEntry : share;
  };
  return Promise.all(links.map(async (link) => ({ ...link, share: await estimate(link) })));
}

const isOwnLink = (condition: Condition): condition is RelatedCondition =>
  condition.kind === 'related' && condition.link.storage.kind === 'own' && !condition.orMissing;

/** Returns the number of ids that a condition was resolved to; 0 if there are none, or the condition is on ids alone. */
function countIds(condition: RelatedCondition, resolved: ResolvedFilters): number {
  const found = resolved.get(condition)?.[condition.path] as { readonly $in?: readonly unknown[] } | undefined;
  return found?.$in?.length ?? 0;
}

/** The conditions that the fewest entries met, by plan. */
const narrowestOf = new WeakMap<Plan, RelatedCondition>();

/** Records the condition on linked entries that the fewest entries met. */
export const noteNarrowest = (plan: Plan, condition: RelatedCondition): void => void narrowestOf.set(plan, condition);

/** Returns the condition on linked entries that the fewest entries met at the last read; null if it is not known. */
export const narrowestBefore = (plan: Plan): RelatedCondition | null => narrowestOf.get(plan) ?? null;

/**
 * Chooses by the indexes that the collection has. If none finds only entries that meet the condition, counting examines all entries
 * in any case, so one pass finds the page too; unless the total is known, and the index of the sort makes it likely that few entries
 * are examined. The server decides if the sort has an index.
 */
async function chooseByIndexes(plan: Plan, facts: Facts): Promise<Choice> {
  const { type, condition, isWhole, sort } = plan;
  const { registry, database } = facts;
  const model = modelLeading(type, registry);
  // trigrams also find entries that do not meet the condition
  const counting: Indexes = { ...model, searches: { serves: () => false, find: (search) => database.searches.find(search) } };
  if (isPassable(plan) && condition !== null && !isWhole && !isServed(condition, counting)) {
    const natural = (await isNaturalBest(plan, facts)) ? naturalOrder : null;
    const sorting = await findSorting(plan, facts);
    return sorting === null ? { hint: natural, inOnePass: true } : { hint: natural && sorting, inOnePass: false };
  }
  const [{ path } = { path: '_id' }] = sort;
  if (model.leads(path) || (await estimateSize(type, database)) <= fewEntries) return serverDecides;
  return (await isNaturalBest(plan, facts, path)) ? { hint: naturalOrder, inOnePass: false } : serverDecides;
}

const naturalOrder = { $natural: 1 } as const;

/** Returns the name of the index of the sort if the total is known and few entries are likely to be examined by it; otherwise null. */
async function findSorting(plan: Plan, { registry, database, cachedTotal }: Facts): Promise<string | null> {
  const matching = await cachedTotal();
  const sorting = indexOfSort(plan, registry);
  if (matching === null || sorting === null) return null;
  const all = await estimateSize(plan.type, database);
  return margin * entriesInOrder(plan, all, matching) < all ? sorting.name : null;
}

/**
 * Returns whether all entries of a list are best read in natural order: no index finds only entries that meet its condition, or sorts
 * them by a path, not even one that an operator has made, and the list has most entries of the collection, or the collection is small.
 */
async function isNaturalBest(plan: Plan, { database, totals }: Facts, path: string | null = null): Promise<boolean> {
  const { condition, scope, type } = plan;
  const size = await estimateSize(type, database);
  const leading = size <= fewEntries ? noLeading : await readLeading(type, database).catch(() => null);
  if (leading === null || (path !== null && leading.leads(path))) return false;
  if (condition !== null && isServed(condition, { ...leading, searches: database.searches })) return false;
  if (scope === null || size <= fewEntries) return true;
  const match: Document = compileCondition(scope, new Map());
  const listed = { collection: type.collection, match };
  const total = totals.cachedTotal({ ...listed, condition: scope }) ?? (await estimateCount(listed, database));
  return total !== null && margin * total >= size;
}

const noLeading: Leading = { leads: () => false, leadsToNull: () => false };
