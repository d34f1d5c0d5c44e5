import { BoundedCache, memoize } from '#base/caches.js';
import { noObserver, type Observer } from '#base/observe/observer.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { ChangeTicks } from './change-ticks.js';
import type { EntryEvent, Subscription, Subscriber } from './entry-events.js';
import { ExpectedWrites, type SingleWrite } from './expected-writes.js';

/**
 * The known facts about a write to a collection.
 * - any: nothing but the ids of the documents, and perhaps not even those.
 * - values: no entry was created or deleted, and no publication state and no locale has changed.
 * - entry: this instance has created (1) or deleted (-1) one entry. `begun` is the tick before the write was sent.
 */
export type Change =
  | { readonly kind: 'any' | 'values'; readonly ids?: readonly unknown[] | null }
  | { readonly kind: 'entry'; readonly count: 1 | -1; readonly document: Values; readonly begun: number };

type Listener = (change: Change) => void;

const unknown: Change = { kind: 'any' };

/** Milliseconds without word of the change stream after which the writes of others count as unknown. */
export const longestSilence = 1_000;

/** The content types in force, by uid. */
export type Types = ReadonlyMap<string, ContentType>;

/** Returns the content types in force, by collection. */
export const byCollection = memoize((types: Types) => new Map([...types.values()].map((type) => [type.collection, type])));

/**
 * Tells of writes: caches of collections that have changed in this or another instance, and subscribers of entries that this one
 * has written. The writers call it (`write/`), nothing else has to.
 */
export class ChangeBus {
  readonly #types: () => Types;
  readonly #observer: Observer;
  #subscribers: readonly Subscriber[] = [];
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #writeListeners = new Set<(collection: string) => void>();
  /** Writes of this instance that the change stream will report too. */
  readonly #expected = new ExpectedWrites();
  /** Whether writes of other instances are reported. If not, nothing may be cached. Set by `setListening`. */
  isListening = false;
  /** The time, by `performance.now()`, up to which the writes of other instances were reported. */
  #heardUntil = -Infinity;
  #tick = 0;
  readonly #ticks = new ChangeTicks();

  constructor(types: () => Types = () => new Map(), observer = noObserver) {
    this.#types = types;
    this.#observer = observer;
  }

  /** Adds a subscriber. Returns a function that removes it. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers = [...this.#subscribers, subscriber];
    return () => {
      this.#subscribers = this.#subscribers.filter((other) => other !== subscriber);
    };
  }

  /** Returns the subscribers that hear of writes of these kinds to a collection; null if there are none. */
  subscription(collection: string, ...kinds: readonly EntryEvent['kind'][]): Subscription | null {
    const type = this.#subscribers.length === 0 ? undefined : byCollection(this.#types()).get(collection);
    if (type === undefined) return null;
    const subscribers = this.#subscribers.filter((one) => kinds.some((kind) => one.subscribesTo(kind, type)));
    return subscribers.length === 0 ? null : { type, subscribers };
  }

  /** Tells subscribers after the commit. Resolves when they have ended. Their errors are observed. */
  async deliver(subscribers: readonly Subscriber[], events: readonly EntryEvent[]): Promise<void> {
    const pairs = events.flatMap((event) => subscribers.map((one) => [one, event] as const));
    for (const [one, event] of pairs)
      try {
        if (one.subscribesTo(event.kind, event.type)) await one.after?.(event);
      } catch (err) {
        this.#observer.observe({ kind: 'failed', work: 'entry event', err });
      }
  }

  /** Returns a number that is greater than all earlier ones, to decide which of two events came first. */
  tick(): number {
    return ++this.#tick;
  }

  /**
   * Returns whether what was read from these collections after a tick is still as it was: no change was reported since. A change by
   * another instance may be reported later.
   */
  isUnchanged(collections: readonly string[], since: number): boolean {
    return this.isListening && this.#ticks.isUnchanged(collections, since);
  }

  /** Whether all writes of other instances were reported that are older than a second. */
  get isCurrent(): boolean {
    return this.hasHeardSince(performance.now() - longestSilence);
  }

  /** Returns whether all writes of other instances before a time, by `performance.now()`, were reported. */
  hasHeardSince(time: number): boolean {
    return this.isListening && this.#heardUntil >= time;
  }

  /** Records that the writes of other instances were reported up to a time, by `performance.now()`. */
  heardUntil(time: number): void {
    this.#heardUntil = time;
  }

  /** Calls `listener` when something was written to one of the collections, or may have been. */
  onChange(collections: readonly string[], listener: Listener): void {
    for (const collection of collections)
      this.#listeners.set(collection, (this.#listeners.get(collection) ?? new Set()).add(listener));
  }

  /** Calls `listener` with the collection of every write of this instance. */
  onWrite(listener: (collection: string) => void): void {
    this.#writeListeners.add(listener);
  }

  /** Reports a write to a collection by any client. Subscribers are told in the background if all of it was replaced. */
  changed(collection: string, change: Change = unknown): void {
    this.#ticks.note(collection, this.tick());
    for (const listener of this.#listeners.get(collection) ?? []) listener(change);
    const hearing = 'ids' in change && change.ids === null ? this.subscription(collection, 'any') : null;
    if (hearing === null) return;
    const event = { kind: 'any', type: hearing.type, by: null, requestId: null, agent: null, at: new Date() } as const;
    void this.deliver(hearing.subscribers, [event]);
  }

  /** Reports a write of this instance to a collection. */
  wrote(collection: string, change: Change = unknown): void {
    this.changed(collection, change);
    for (const listener of this.#writeListeners) listener(collection);
  }

  /** Announces that this instance is about to create or delete an entry. The write itself is reported by `wrote`. */
  expect(write: SingleWrite): void {
    if (this.isListening) this.#expected.add(write);
  }

  /** Returns whether a write was announced by `expect`, and forgets it. */
  settle(write: SingleWrite): boolean {
    return this.#expected.settle(write);
  }

  /** Sets whether writes of other instances are reported. Values that were cached before may be stale. */
  setListening(isListening: boolean): void {
    this.isListening = isListening;
    this.#expected.clear();
    if (isListening) this.forget();
    else this.#ticks.forget(this.tick()); // an election, which also ends the stream, may undo what was read before
  }

  /** Records that writes of other instances are reported again and none was missed, so that cached values stay. */
  resume(): void {
    this.isListening = true;
  }

  /** Drops all cached values, because changes may have been missed. */
  forget(): void {
    this.#ticks.forget(this.tick());
    for (const listener of new Set([...this.#listeners.values()].flatMap((set) => [...set]))) listener(unknown);
  }
}

/** Bounds of what is cached by key. */
const keyedBounds = { bytes: 16_000_000 };

/**
 * Returns a function that reads a value once and caches it until something is written to one of the collections. `comment` is that of
 * the commands: the id of the request that needs the value first.
 */
export function cacheUntilChanged<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  load: (comment?: string) => Promise<Value>,
): (comment?: string) => Promise<Value> {
  const read = cacheByKey(changes, collections, { load: (_key, comment) => load(comment), weigh: () => 0 });
  return (comment) => read(0, comment);
}

interface KeyedSource<Value> {
  readonly load: (key: number, comment?: string) => Promise<Value>;
  /** Returns the approximate size of a value in bytes. */
  readonly weigh: (value: Value) => number;
}

/**
 * Returns a function that does the same for one value per key, within bounds. A write drops all values, because the key that it
 * affects is unknown.
 */
export function cacheByKey<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  { load, weigh }: KeyedSource<Value>,
): (key: number, comment?: string) => Promise<Value> {
  const cached = new BoundedCache<Promise<Value>, number>(keyedBounds);
  changes.onChange(collections, () => {
    cached.clear();
  });
  return (key, comment) => {
    if (!changes.isListening) return load(key, comment);
    const cachedValue = cached.get(key);
    if (cachedValue !== undefined) return cachedValue;
    const loading = load(key, comment);
    cached.set(key, loading, 0);
    // If a write has dropped the promise meanwhile, its value may be older than the write.
    const ifKept = (change: () => void): void => {
      if (cached.get(key) === loading) change();
    };
    loading.then(
      (value) => ifKept(() => cached.set(key, loading, weigh(value))),
      () => ifKept(() => cached.delete(key)),
    );
    return loading;
  };
}
