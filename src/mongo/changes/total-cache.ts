import { createHash } from 'node:crypto';
import { BSON, type Document } from 'mongodb';
import { BoundedCache, memoize } from '../../caches.js';
import { meetsCondition } from '../../query/meets-condition.js';
import type { Condition } from '../../query/plan.js';
import type { TimeLimits } from '../send/calls.js';
import type { Change, ChangeBus } from './changes.js';
import { type Running, share, type Shared } from '../send/share-work.js';

/** Bounds for the totals of one collection: for totals by publication state and locales, and for totals of other filters. */
const bounds = { entries: 100, bytes: 100_000 };
const filterBounds = { entries: 200, bytes: 100_000 };

/** The counted condition. */
interface Counted {
  readonly collection: string;
  readonly match: Document;
  /** The condition if it consists only of publication state and locale, so that writes can adjust the total; otherwise null. */
  readonly condition: Condition | null;
}

interface Total {
  readonly condition: Condition;
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
interface Passing extends Pick<Counted, 'collection' | 'match'> {
  /** The order of the entries. */
  readonly order: Document;
  /** The number of ids that it returns. */
  readonly end: number;
}

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

/**
 * Returns the text of the query that a condition is compiled to. It is cached, because conditions of cached plans are the same
 * objects.
 */
function queryText(condition: Condition, match: Document): string {
  const text = texts.get(condition) ?? JSON.stringify(match);
  texts.set(condition, text);
  return text;
}

const texts = new WeakMap<Condition, string>();

/** Returns the digest of a query. The query itself may be long, because conditions on related entries are lists of ids. */
const queryDigest = memoize((match: Document) => createHash('sha256').update(BSON.serialize(match)).digest('base64'));

/**
 * A cache of exact totals, by collection and query. Counting is the most expensive part of a list and takes longer as the
 * collection grows, so concurrent equal counts are shared, as are equal passes. Totals of whole types are cached until a write
 * that they depend on; if this instance creates or deletes one entry, they are adjusted. Totals of other filters are cached until
 * any write to the collection. Nothing is cached or shared while the writes of other instances are not reported.
 */
export class TotalCache {
  readonly #changes: ChangeBus;
  readonly #totals = new Map<string, Totals>();
  readonly #followed = new Set<string>();

  constructor(changes: ChangeBus) {
    this.#changes = changes;
  }

  /** Returns the cached total; null if there is none. */
  kept({ collection, match, condition }: Counted): number | null {
    if (!this.#changes.isListening) return null;
    const totals = this.#totals.get(collection);
    if (totals === undefined) return null;
    if (condition === null) return totals.filters.kept.get(queryDigest(match)) ?? null;
    return totals.kept.get(queryText(condition, match))?.value ?? null;
  }

  /** Returns the cached total, or the result of `count`, which may be that of a concurrent request. */
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

  /** Returns the result of `run`, which may be that of a concurrent request. Its total is cached. */
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

  /**
   * Updates the totals after a write. Work under way may include the write or not, so it is no longer shared, and its result is
   * not cached.
   */
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

/**
 * Returns an empty cache of filter totals. If the former one is empty, it is reused, because creating one takes as long as all
 * else that a write does in this file.
 */
const withoutFilters = ({ filters }: Totals): FilterTotals =>
  filters.kept.size + filters.running.size + filters.passes.size === 0 ? filters : newFilterTotals();

/**
 * Returns the totals after the creation or deletion of an entry. Totals that were counted before the write was sent are adjusted.
 * Later ones may include the write and are dropped. Counts under way store their results in the former cache.
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
