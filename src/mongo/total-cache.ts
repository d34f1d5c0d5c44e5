import { createHash } from 'node:crypto';
import { BSON, type Document } from 'mongodb';
import { BoundedCache } from '../caches.js';
import { meetsCondition } from '../query/meets-condition.js';
import type { Condition } from '../query/plan.js';
import { inRequestTime, type TimeLimits } from './calls.js';
import type { Change, ChangeBus } from './changes.js';
import { isTimedOut, isTooLarge } from './driver-errors.js';

/** The totals of one collection: one for each publication state and set of locales, and those of other filters. */
const bounds = { entries: 100, bytes: 100_000 };
const filterBounds = { entries: 200, bytes: 100_000 };

/** The counted condition. */
interface Counted {
  readonly collection: string;
  readonly match: Document;
  /** The publication state and locale, if the condition has nothing else: a write may adjust the total. Null if it has other values. */
  readonly condition: Condition | null;
}

interface Total {
  readonly condition: Condition;
  readonly value: number;
  /** The tick when it was counted. */
  readonly counted: number;
}

/** What one pass over a collection finds: the ids of the first entries, and how many there are in all. */
export interface Pass {
  readonly ids: readonly unknown[];
  readonly total: number;
}

/** What a pass looks for. */
interface Passing extends Pick<Counted, 'collection' | 'match'> {
  /** The order of the entries. */
  readonly order: Document;
  /** How many ids of the first entries it keeps. */
  readonly end: number;
}

/** Work under way, by what it looks for. */
type Running<Result> = Map<string, Promise<Result>>;

/** The cached totals of one collection, and counts under way, by their query. */
interface Totals {
  readonly kept: BoundedCache<Total>;
  readonly running: Running<number>;
  readonly filters: FilterTotals;
}

/** Totals of filters other than publication state and locale. */
interface FilterTotals {
  readonly kept: BoundedCache<number>;
  readonly running: Running<number>;
  readonly passes: Running<Pass>;
}

/** The text of the query that a condition is compiled to; conditions of plans that come again are the same objects. */
function queryText(condition: Condition, match: Document): string {
  const text = texts.get(condition) ?? JSON.stringify(match);
  texts.set(condition, text);
  return text;
}

const texts = new WeakMap<Condition, string>();

/** The digest of a query: one that leads through relations names all entries that they came to. */
function queryDigest(match: Document): string {
  const digest = digests.get(match) ?? createHash('sha256').update(BSON.serialize(match)).digest('base64');
  digests.set(match, digest);
  return digest;
}

const digests = new WeakMap<Document, string>();

/**
 * Exact totals, by collection and query. Counting is the most expensive part of a list and takes longer as the collection grows, so
 * equal counts at the same time are one, and so are equal passes. Totals of whole types are kept until a write that they depend on; where
 * this instance makes or deletes one entry, they are adjusted. Totals of other filters are kept until any write to the collection. Nothing
 * is kept or shared while the writes of other instances are not reported.
 */
export class TotalCache {
  readonly #changes: ChangeBus;
  readonly #totals = new Map<string, Totals>();
  readonly #followed = new Set<string>();

  constructor(changes: ChangeBus) {
    this.#changes = changes;
  }

  /** Returns the kept total; null if there is none. */
  kept({ collection, match, condition }: Counted): number | null {
    if (!this.#changes.isListening) return null;
    const totals = this.#totals.get(collection);
    if (totals === undefined) return null;
    if (condition === null) return totals.filters.kept.get(queryDigest(match)) ?? null;
    return totals.kept.get(queryText(condition, match))?.value ?? null;
  }

  /** Returns the kept total, or the result of `count`, which may be that of another request at the same time. */
  async read({ collection, match, condition }: Counted, count: () => Promise<number>, limits: TimeLimits): Promise<number> {
    if (!this.#changes.isListening) return count();
    // A write replaces these maps, so that counts which began before it are not used later.
    const { kept, running, filters } = this.#totalsOf(collection);
    if (condition === null) return readFilter(filters, queryDigest(match), { work: count, limits });
    const query = queryText(condition, match);
    const known = kept.get(query);
    if (known !== undefined) return known.value;
    const work = async (): Promise<number> => {
      const value = await count();
      kept.set(query, { condition, value, counted: this.#changes.tick() }, 200);
      return value;
    };
    return share(running, query, { work, limits });
  }

  /** Returns what `run` finds by one pass, which may be that of another request at the same time. Its total is kept. */
  async pass({ collection, match, order, end }: Passing, run: () => Promise<Pass>, limits: TimeLimits): Promise<Pass> {
    if (!this.#changes.isListening) return run();
    const { kept, passes } = this.#totalsOf(collection).filters;
    const query = queryDigest(match);
    const work = async (): Promise<Pass> => {
      const found = await run();
      kept.set(query, found.total, 8);
      return found;
    };
    return share(passes, JSON.stringify([query, Object.entries(order), end]), { work, limits });
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

  /** Work that is under way may include the write or not, so no other read waits for it, and its result is not cached. */
  #change(collection: string, change: Change): void {
    const former = this.#totals.get(collection);
    if (former === undefined) return;
    switch (change.kind) {
      case 'any':
        this.#totals.delete(collection);
        return;
      case 'values':
        this.#totals.set(collection, { ...former, filters: withoutFilters(former) });
        return;
      case 'entry':
        this.#totals.set(collection, adjusted(former, change));
    }
  }
}

const newTotals = (): Totals => ({ kept: new BoundedCache(bounds), running: new Map(), filters: newFilterTotals() });

const newFilterTotals = (): FilterTotals => ({ kept: new BoundedCache(filterBounds), running: new Map(), passes: new Map() });

async function readFilter({ kept, running }: FilterTotals, query: string, count: Shared<number>): Promise<number> {
  const known = kept.get(query);
  if (known !== undefined) return known;
  const work = async (): Promise<number> => {
    const value = await count.work();
    kept.set(query, value, 8);
    return value;
  };
  return share(running, query, { ...count, work });
}

/** The totals of filters after a write: none. An empty cache is kept: creating one costs as much as the rest of a write here. */
const withoutFilters = ({ filters }: Totals): FilterTotals =>
  filters.kept.size + filters.running.size + filters.passes.size === 0 ? filters : newFilterTotals();

/**
 * Totals that were counted before the write was sent do not include it; others may, and are dropped. Counts under way keep theirs in the
 * former cache.
 */
function adjusted(former: Totals, { document, count, begun }: Extract<Change, { kind: 'entry' }>): Totals {
  const isCounting = former.running.size > 0;
  const kept = isCounting ? new BoundedCache<Total>(bounds) : former.kept;
  for (const [query, { condition, value, counted }] of [...former.kept.entries()])
    if (counted < begun)
      kept.set(query, { condition, value: value + (meetsCondition(condition, document) ? count : 0), counted }, 200);
    else kept.delete(query);
  return { kept, running: isCounting ? new Map() : former.running, filters: withoutFilters(former) };
}

/** Work that one request does for all that ask for the same. */
interface Shared<Result> {
  readonly work: () => Promise<Result>;
  /** How long this request may wait for the work of another one. */
  readonly limits: TimeLimits;
}

/**
 * Joins the same work that is under way, for as long as the request may wait. If that was given up for another request's own reasons, the
 * first of those that wait does it itself, and the others join that.
 */
async function share<Result extends number | Pass>(
  running: Running<Result>,
  key: string,
  { work, limits }: Shared<Result>,
): Promise<Result> {
  const other = running.get(key);
  if (other === undefined) {
    const own = work().finally(() => running.delete(key));
    running.set(key, own);
    return own;
  }
  const found = other.catch((error: unknown) => {
    if (isTimedOut(error) || isTooLarge(error)) throw error; // it would for each
    return null;
  });
  return (await inRequestTime(limits, found)) ?? share(running, key, { work, limits });
}
