import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, Db, Document } from 'mongodb';
import { collections } from '../schema/collections.js';
import { BoundedCache } from '../bounded-cache.js';
import type { Database } from './database.js';

/** Tells those who keep in memory what they read that something was written, by this or another instance. */
export class ChangeBus {
  readonly #listeners = new Map<string, Set<() => void>>();
  #isListening = false;

  /** Whether the writes of other instances are reported. While they are not, nothing should be kept. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Calls `listener` when something was written to one of the collections, or may have been. */
  onChange(collections: readonly string[], listener: () => void): void {
    for (const collection of collections)
      this.#listeners.set(collection, (this.#listeners.get(collection) ?? new Set()).add(listener));
  }

  /** Something was written to a collection, by whatever client. */
  changed(collection: string): void {
    for (const listener of this.#listeners.get(collection) ?? []) listener();
  }

  /** Writes are reported from now on, or no longer. What was kept before they were reported may be stale. */
  listening(isListening: boolean): void {
    this.#isListening = isListening;
    if (isListening) this.forget();
  }

  /** Makes everything that was kept be read again. */
  forget(): void {
    for (const listener of new Set([...this.#listeners.values()].flatMap((set) => [...set]))) listener();
  }
}

interface ChangeWatch {
  close(): Promise<void>;
}

/** Milliseconds between looks at the models where there are no change streams, and before a broken stream is opened again. */
const pause = 500;

/**
 * Milliseconds between two reads of the stream. Under load one read brings many changes: a read for each would cost every write
 * of every instance 0.3 ms of the server.
 */
const pace = 25;

/**
 * Watches the database by a change stream, reopened after failures. Where there are none, those who keep what seldom changes are told twice
 * a second that it may have changed.
 */
export function watchChanges(database: Database, changes: ChangeBus): ChangeWatch {
  const stopped = new AbortController();
  const watching = database.isReplicated ? follow(database, changes, stopped.signal) : poll(changes, stopped.signal);
  return {
    close: async () => {
      stopped.abort();
      await watching;
    },
  };
}

const polled = [collections.models, collections.settings, collections.locales, collections.roles, collections.permissions];

async function poll(changes: ChangeBus, stopped: AbortSignal): Promise<void> {
  while (await waited(pause, stopped)) for (const collection of polled) changes.changed(collection);
}

async function follow({ client, db }: Database, changes: ChangeBus, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    // Any failure is answered the same way: nothing that was kept is trusted until a new stream is open.
    await client.withSession((session) => followOne(db, session, changes, stopped)).catch(() => undefined);
    changes.listening(false);
    await waited(pause, stopped);
  }
}

interface Batch {
  readonly id: unknown;
  readonly firstBatch?: readonly Document[];
  readonly nextBatch?: readonly Document[];
}

/** Reads one stream until it fails. Only names of collections come over the wire. */
async function followOne(db: Db, session: ClientSession, changes: ChangeBus, stopped: AbortSignal): Promise<void> {
  const pipeline = [{ $changeStream: {} }, { $project: { 'ns.coll': 1, 'to.coll': 1 } }];
  let batch = cursorOf(await db.command({ aggregate: 1, pipeline, cursor: {} }, { session, promoteLongs: false }));
  changes.listening(true);
  const { id } = batch;
  let killed: Promise<unknown> = Promise.resolve();
  // A read waits a second for changes; a stop does not wait for the read.
  const kill = (): void => {
    killed = db.command({ killCursors: '$cmd.aggregate', cursors: [id] }, { session }).catch(() => undefined);
  };
  stopped.addEventListener('abort', kill);
  try {
    while (String(batch.id) !== '0' && (await waited(pace, stopped))) {
      batch = cursorOf(await db.command(nextOf(id), { session, promoteLongs: false }));
      for (const collection of collectionsOf(batch)) changes.changed(collection);
    }
  } finally {
    stopped.removeEventListener('abort', kill);
    await killed;
  }
}

const nextOf = (id: unknown): Document => ({ getMore: id, collection: '$cmd.aggregate', maxTimeMS: 1000 });

const cursorOf = (reply: Document): Batch => reply['cursor'] as Batch; // the form of every cursor command's reply

function collectionsOf({ nextBatch = [] }: Batch): ReadonlySet<string> {
  // A renamed collection takes the place of another.
  const names = nextBatch.flatMap(({ ns, to }) => [ns, to].map((name) => (name as { readonly coll?: string } | undefined)?.coll));
  return new Set(names.filter((name) => name !== undefined));
}

/** False when the wait was cut short because the watch is closed. */
async function waited(milliseconds: number, stopped: AbortSignal): Promise<boolean> {
  await delay(milliseconds, undefined, { signal: stopped }).catch(() => undefined);
  return !stopped.aborted;
}

/** Returns a function that reads a value once and keeps it until something is written to one of the collections. */
export function cacheUntilChanged<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  load: () => Promise<Value>,
): () => Promise<Value> {
  let cached: Promise<Value> | null = null;
  changes.onChange(collections, () => {
    cached = null;
  });
  return () => {
    if (!changes.isListening) return load();
    if (cached !== null) return cached;
    const loading = load();
    cached = loading;
    loading.catch(() => {
      if (cached === loading) cached = null;
    });
    return loading;
  };
}

interface KeyedSource<Value> {
  readonly load: (key: number) => Promise<Value>;
  /** About how many bytes a value takes. */
  readonly weigh: (value: Value) => number;
}

/** The same for one value per key, within bounds. Every write drops all values, since it is not known which key it concerns. */
export function cacheByKey<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  { load, weigh }: KeyedSource<Value>,
): (key: number) => Promise<Value> {
  const cached = new BoundedCache<Promise<Value>, number>(keyedBounds);
  changes.onChange(collections, () => {
    cached.clear();
  });
  return (key) => {
    if (!changes.isListening) return load(key);
    const known = cached.get(key);
    if (known !== undefined) return known;
    const loading = load(key);
    cached.set(key, loading, 0);
    // A write meanwhile has dropped the promise: what it comes to may be from before the write.
    const isKept = (): boolean => cached.get(key) === loading;
    loading.then(
      (value) => {
        if (isKept()) cached.set(key, loading, weigh(value));
      },
      () => {
        if (isKept()) cached.delete(key);
      },
    );
    return loading;
  };
}

const keyedBounds = { entries: 10_000, bytes: 16_000_000 };

/** The totals of one collection: one for each publication state and set of locales. */
const bounds = { entries: 100, bytes: 100_000 };

/**
 * Exact totals of whole types, by collection and query. Counting is the most expensive part of a list and takes longer as the
 * collection grows. A total is kept until something is written to the collection; nothing is kept while the writes of other
 * instances are not reported.
 */
export class TotalCache {
  readonly #changes: ChangeBus;
  readonly #totals = new Map<string, BoundedCache<number>>();
  readonly #followed = new Set<string>();

  constructor(changes: ChangeBus) {
    this.#changes = changes;
  }

  /** Returns the kept total, or calls `count`. */
  async read(collection: string, query: string, count: () => Promise<number>): Promise<number> {
    if (!this.#changes.isListening) return count();
    // A write drops these totals: what is counted before it goes where nobody looks after it.
    const totals = this.#totalsOf(collection);
    const kept = totals.get(query);
    if (kept !== undefined) return kept;
    const total = await count();
    totals.set(query, total, 8);
    return total;
  }

  #totalsOf(collection: string): BoundedCache<number> {
    const totals = this.#totals.get(collection) ?? new BoundedCache<number>(bounds);
    this.#totals.set(collection, totals);
    if (!this.#followed.has(collection)) this.#changes.onChange([collection], () => this.#totals.delete(collection));
    this.#followed.add(collection);
    return totals;
  }
}
