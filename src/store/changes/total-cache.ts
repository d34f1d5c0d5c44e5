import type { Document } from 'mongodb';
import { BoundedCache } from '#base/caches.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import type { Condition } from '#model/query/plan.js';
import { inRequestTime, type TimeLimits } from '../send/calls.js';
import { isTimedOut, isTooLarge } from '../send/driver-errors.js';
import type { Change, ChangeBus } from './changes.js';
import { queryDigest, queryText } from './query-digest.js';

/** Attributes that the counts of lists depend on. */
export const countedFields: readonly string[] = ['publishedAt', 'locale'];

/** Bounds for the totals of one collection: for totals by publication state and locales, and for totals of other filters. */
const wholeBounds = { entries: 100, bytes: 100_000 };
const filterBounds = { entries: 200, bytes: 100_000 };

/** The size of a total in bytes, apart from its query. */
const totalBytes = 100;

/** The counted condition. */
interface CountQuery {
  readonly collection: string;
  readonly match: Document;
  /** The condition if it consists only of publication state and locale, so that writes can adjust the total; otherwise null. */
  readonly condition: Condition | null;
}

interface Total {
  readonly condition: CountQuery['condition'];
  readonly value: number;
  /** The tick at which it was counted. */
  readonly counted: number;
}

/** The result of one pass over a collection: the ids of the first entries, and the number of all entries. */
export interface Pass {
  readonly ids: readonly unknown[];
  readonly total: number;
}

/** The query of a pass. */
interface PassQuery extends Pick<CountQuery, 'collection' | 'match'> {
  /** The order of the entries. */
  readonly order: Document;
  /** The number of ids that it returns. */
  readonly end: number;
}

/** Cached totals, and counts and passes under way, by their query. */
interface Counts {
  readonly totals: BoundedCache<Total>;
  readonly running: Running<number>;
  readonly passes: Running<Pass>;
}

/** What is cached of one collection: the totals of publication state and locales, and those of other filters. */
type Totals = Readonly<Record<'whole' | 'filters', Counts>>;

/**
 * A cache of exact totals, by collection and query. Counting is the most expensive part of a list and takes longer as the
 * collection grows, so concurrent equal counts are shared, as are equal passes. Totals of whole types are cached until a write
 * that they depend on; if this instance creates or deletes one entry, they are adjusted. Totals of other filters are cached until
 * any write to the collection. Nothing is cached or shared while the writes of other instances are not reported.
 */
export class TotalCache {
  readonly #changes: ChangeBus;
  #totals = new Map<string, Totals>();
  #followed = new Set<string>();
  /** The collections whose totals are neither cached nor shared. */
  #uncached: ReadonlySet<string> = new Set();

  constructor(changes: ChangeBus) {
    this.#changes = changes;
  }

  /** Returns the same cache without the totals of some collections, which are counted every time. */
  without(collections: ReadonlySet<string>): TotalCache {
    if (collections.size === 0) return this;
    const others = new TotalCache(this.#changes);
    others.#totals = this.#totals;
    others.#followed = this.#followed;
    others.#uncached = new Set([...this.#uncached, ...collections]);
    return others;
  }

  /** Returns the cached total; null if there is none. */
  cachedTotal(counted: CountQuery): number | null {
    const totals = this.#isCached(counted.collection) ? this.#totals.get(counted.collection) : undefined;
    return totals === undefined ? null : (countsOf(totals, counted).totals.get(queryOf(counted))?.value ?? null);
  }

  /** Returns the cached total, or the result of `count`, which may be that of a concurrent request. */
  async read(counted: CountQuery, count: () => Promise<number>, limits: TimeLimits): Promise<number> {
    if (!this.#isCached(counted.collection)) return count();
    // A write replaces these maps, so that counts which began before it are not used later.
    const { totals, running } = countsOf(this.#totalsOf(counted.collection), counted);
    const query = queryOf(counted);
    const total = totals.get(query);
    if (total !== undefined) return total.value;
    const work = async (): Promise<number> => {
      const value = await count();
      totals.set(query, { condition: counted.condition, value, counted: this.#changes.tick() }, totalBytes);
      return value;
    };
    return share(running, query, { work, limits });
  }

  /** Returns the result of `run`, which may be that of a concurrent request. Its total is cached. */
  async pass({ collection, match, order, end }: PassQuery, run: () => Promise<Pass>, limits: TimeLimits): Promise<Pass> {
    if (!this.#isCached(collection)) return run();
    const { totals, passes } = this.#totalsOf(collection).filters;
    const query = queryDigest(match);
    const work = async (): Promise<Pass> => {
      const pass = await run();
      totals.set(query, { condition: null, value: pass.total, counted: this.#changes.tick() }, totalBytes);
      return pass;
    };
    return share(passes, JSON.stringify([query, Object.entries(order), end]), { work, limits });
  }

  /** Returns a function that caches the total of a query that is counted from now on, unless the collection is written to meanwhile. */
  keeper(collection: string): (match: Document, value: number) => void {
    const begun = this.#changes.tick();
    return (match, value) => {
      if (!this.#isCached(collection) || !this.#changes.isUnchanged([collection], begun)) return;
      const { totals } = this.#totalsOf(collection).filters;
      totals.set(queryDigest(match), { condition: null, value, counted: this.#changes.tick() }, totalBytes);
    };
  }

  #isCached(collection: string): boolean {
    return this.#changes.isListening && !this.#uncached.has(collection);
  }

  #totalsOf(collection: string): Totals {
    const totals = this.#totals.get(collection) ?? newTotals();
    this.#totals.set(collection, totals);
    if (!this.#followed.has(collection)) {
      this.#changes.onChange([collection], (change) => {
        this.#change(collection, change);
      });
      this.#followed.add(collection);
    }
    return totals;
  }

  /**
   * Updates the totals after a write. Work under way may include the write or not, so it is no longer shared, and its result is
   * not cached.
   */
  #change(collection: string, change: Change): void {
    const former = this.#totals.get(collection);
    if (former === undefined) return;
    if (change.kind === 'any') this.#totals.delete(collection);
    else if (change.kind === 'entry') this.#totals.set(collection, adjusted(former, change));
    else this.#totals.set(collection, { ...former, filters: withoutFilters(former) });
  }
}

const newTotals = (): Totals => ({ whole: newCounts(wholeBounds), filters: newCounts(filterBounds) });

const newCounts = (bounds: typeof wholeBounds): Counts => ({
  totals: new BoundedCache(bounds),
  running: new Map(),
  passes: new Map(),
});

const countsOf = ({ whole, filters }: Totals, { condition }: CountQuery): Counts => (condition === null ? filters : whole);

const queryOf = ({ condition, match }: CountQuery): string =>
  condition === null ? queryDigest(match) : queryText(condition, match);

/**
 * Returns an empty cache of filter totals. If the former one is empty, it is reused, because creating one takes as long as all
 * else that a write does in this file.
 */
const withoutFilters = ({ filters }: Totals): Counts =>
  filters.totals.size + filters.running.size + filters.passes.size === 0 ? filters : newCounts(filterBounds);

/**
 * Returns the totals after the creation or deletion of an entry. Totals that were counted before the write was sent are adjusted.
 * Later ones may include the write and are dropped. Counts under way store their results in the former cache.
 */
function adjusted(former: Totals, { document, count, begun }: Extract<Change, { kind: 'entry' }>): Totals {
  const whole = former.whole.running.size > 0 ? newCounts(wholeBounds) : former.whole;
  for (const [query, { condition, value, counted }] of [...former.whole.totals.entries()])
    if (counted < begun && condition !== null)
      whole.totals.set(
        query,
        { condition, value: value + (meetsCondition(condition, document) ? count : 0), counted },
        totalBytes,
      );
    else whole.totals.delete(query);
  return { whole, filters: withoutFilters(former) };
}

/** Work under way, by its query. */
type Running<Result> = Map<string, Promise<Result>>;

/**
 * Waits for equal work that is under way, as long as the limits of the request allow, or does the work for all concurrent requests.
 * If the other request gave up for reasons of its own, the first of the waiting requests does the work, and the others wait for it.
 */
async function share<Result extends number | object>(
  running: Running<Result>,
  key: string,
  { work, limits }: { readonly work: () => Promise<Result>; readonly limits: TimeLimits },
): Promise<Result> {
  const other = running.get(key);
  if (other === undefined) {
    const own = work().finally(() => running.delete(key));
    running.set(key, own);
    return own;
  }
  const found = other.catch((error: unknown) => {
    if (isTimedOut(error) || isTooLarge(error)) throw error; // the work would fail for each request
    return null;
  });
  return (await inRequestTime(limits, found)) ?? share(running, key, { work, limits });
}
