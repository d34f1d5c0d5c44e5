import type { Db, Document } from 'mongodb';
import type { Condition, Plan } from '../../query/plan.js';
import { unlimited } from '../../query/budget.js';
import { memoizePair } from '../../caches.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { countStored, readAll, type Database } from '../database.js';
import { isTimedOut, isWithoutIndex } from '../driver-errors.js';
import type { RelatedCondition, Resolved } from './compile-condition.js';
import { compilePage, type Page } from './compile-page.js';
import { planIndexes } from './plan-indexes.js';

/** An index with about how many entries a page looks at by it. */
interface Candidate {
  readonly index: string;
  readonly entries: number;
}

interface ChoiceContext {
  readonly registry: Registry;
  readonly resolved: Resolved;
  readonly database: Database;
}

/** An index is named if another one would look at so many times as many entries. The estimate may be wrong by half of that. */
const margin = 3;

/** Links of an entry to several others, as many as are assumed. */
const linksOfEntry = 3;

/**
 * Returns the index that leads to a page of entries with related ones: that of the sort if many meet the conditions, or that of the
 * relation that few do. The server keeps a plan for queries of one form, and the best one for narrow conditions looks at seven times as many
 * entries as the best one for broad conditions. Null: the server decides.
 */
export async function chooseIndex(plan: Plan, { registry, resolved, database }: ChoiceContext): Promise<string | null> {
  const { type, condition, sort, window } = plan;
  const [key = { path: '_id', links: [], lists: [] }, ...others] = sort;
  const related = condition === null ? [] : ownLinks(condition);
  const isOpen = related.length > 0 && related.every((one) => idsOf(one, resolved) !== null) && database.session === null;
  if (!isOpen || others.length > 0 || key.links.length + key.lists.length > 0 || window.limit === null) return null;
  const [all, ...targets] = await Promise.all(
    [type, ...related.map(({ target }) => target)].map(({ collection }) => estimateSize(collection, database)),
  );
  const shares = related.map((one, index) => shareOf(one, targets[index] ?? 0, resolved));
  if (all === undefined || shares.some((share) => share === null)) return null;
  const indexes = wholeIndexes(type, registry);
  const candidate = (path: string, entries: number): readonly Candidate[] => {
    const index = path === '_id' ? '_id_' : indexes.get(path);
    return index === undefined ? [] : [{ index, entries }];
  };
  const needed = (window.skip + window.limit) / shares.reduce<number>((product, share) => product * (share ?? 1), 1);
  return cheapest([
    ...candidate(key.path, Math.min(needed, all)),
    ...related.flatMap(({ path }, index) => candidate(path, all * (shares[index] ?? 1))),
  ]);
}

/** The indexes that hold all entries, by their first path. */
const wholeIndexes = memoizePair((type: ContentType, registry: Registry): ReadonlyMap<string, string> => {
  const plans = planIndexes(type, registry).filter(({ options }) => options.partialFilterExpression === undefined);
  return new Map(plans.reverse().map(({ name, key }) => [Object.keys(key)[0] ?? '', name]));
});

/** The index that looks at much fewer entries than the next best one; null if there is none. */
function cheapest(candidates: readonly Candidate[]): string | null {
  const [best, next] = [...candidates].sort((a, b) => a.entries - b.entries);
  return best !== undefined && next !== undefined && best.entries * margin < next.entries ? best.index : null;
}

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

/** Milliseconds that the size of a collection is good enough for an estimate. */
const goodFor = 60_000;

const sizes = new WeakMap<Db, Map<string, Size>>();

/** Returns about how many entries a collection has: as many as a while ago. */
export function estimateSize(collection: string, database: Database): Promise<number> {
  const known = sizes.get(database.db) ?? new Map<string, Size>();
  sizes.set(database.db, known);
  const kept = known.get(collection);
  if (kept !== undefined && kept.until > Date.now()) return kept.size;
  // for all requests, so that it does not end with one of them
  const size = countStored(collection, { ...database, session: null, budget: unlimited, turns: null, asker: null });
  known.set(collection, { size, until: Date.now() + goodFor });
  size.catch(() => known.delete(collection));
  return size;
}

/** Milliseconds until an index that was named wrongly is given up. */
const hinted = 1_000;

/** Reads a page by the index that was chosen for it; as the server plans it if there is none, or it takes too long. */
export async function readChosen(page: Page, index: string | null, database: Database): Promise<readonly Document[]> {
  const command = compilePage(page);
  if (index === null || database.session !== null) return readAll(database, command);
  const { maxTimeMS } = database;
  const limited = { ...database, maxTimeMS: { ...maxTimeMS, read: Math.min(maxTimeMS.read, hinted) } };
  try {
    return await readAll(limited, { ...command, hint: index });
  } catch (error) {
    if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
    return readAll(database, command);
  }
}
