import { ChangeBus, type Types } from './changes/changes.js';
import { inReadTime, inWriteTime } from './send/calls.js';
import { commentIn, type Database } from './send/database.js';
import { collections } from '#model/schema/collections.js';
import type { Observer } from '#base/observe/observer.js';
import { TotalCache } from './changes/total-cache.js';

/** The parts of the back end that operations on content use. */
export interface Store {
  readonly database: Database;
  readonly ids: IdAllocator;
  readonly changes: ChangeBus;
  readonly totals: TotalCache;
  /** Returns the content types in force, by uid. Writes give documents their form that have the form of a former model. */
  readonly types: () => Types;
}

/** Returns a store with empty caches. */
export function createStore(database: Database, types: () => Types = () => new Map(), observer?: Observer): Store {
  const changes = new ChangeBus(types, observer);
  return { database, ids: new IdAllocator(), changes, totals: new TotalCache(changes), types };
}

interface Counter {
  readonly _id: string;
  readonly next: number;
}

const counters = ({ db }: Database) => db.collection<Counter>(collections.counters);

interface Block {
  next: number;
  end: number;
  size: number;
  reservedAt: number;
}

const largestBlock = 128;

/**
 * Allocates numeric ids, which are unique in each collection and ascend within this instance. Under load, ids are reserved in
 * blocks, because incrementing a counter for every create would be a second write, to one hot document. Unused ids of a block
 * remain gaps.
 */
class IdAllocator {
  #blocks = new Map<string, Block>();
  #reserving = new Map<string, Promise<void>>();

  /**
   * Returns the next `count` ids of a collection, or of the parts of a component. Runs outside of transactions, so that no id is
   * allocated twice.
   */
  async next(name: string, count: number, database: Database): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      const block = this.#blocks.get(name);
      if (block !== undefined && block.next < block.end) ids.push(block.next++);
      else await this.#reserve(name, count - ids.length, database);
    }
    return ids;
  }

  /** Forgets all blocks, after the counters in the database were changed. */
  forget(): void {
    this.#blocks.clear();
    this.#reserving.clear();
  }

  async #reserve(name: string, count: number, database: Database): Promise<void> {
    const running = this.#reserving.get(name);
    if (running !== undefined) return running;
    const reservation = this.#reserveBlock(name, count, database).finally(() => this.#reserving.delete(name));
    this.#reserving.set(name, reservation);
    return reservation;
  }

  /**
   * Reserves the next block. Blocks begin with one id, and double while they are used up within a second, so that there are no
   * gaps without load.
   */
  async #reserveBlock(name: string, count: number, database: Database): Promise<void> {
    const previous = this.#blocks.get(name);
    const busy = previous !== undefined && Date.now() - previous.reservedAt < 1000;
    const size = Math.max(busy ? Math.min(previous.size * 2, largestBlock) : 1, count);
    if (previous === undefined) await this.#raise(name, database);
    const outside = commentIn(database);
    const options = { upsert: true, returnDocument: 'before', maxTimeMS: database.maxTimeMS.write, ...outside } as const;
    const before = await inWriteTime(database, () =>
      counters(database).findOneAndUpdate({ _id: name }, { $inc: { next: size } }, options),
    );
    const next = before?.next ?? 1;
    this.#blocks.set(name, { next, end: next + size, size, reservedAt: Date.now() });
  }

  /** Raises the counter above the greatest stored id, because other programs may have inserted documents. */
  async #raise(name: string, database: Database): Promise<void> {
    const outside = commentIn(database);
    const [last] = await inReadTime(database, () =>
      database.db
        .collection<{ _id: number }>(name)
        .find({ _id: { $gte: 0 } }, { projection: { _id: 1 }, ...outside })
        .sort({ _id: -1 })
        .limit(1)
        .toArray(),
    );
    const next = Math.max((last?._id ?? 0) + 1, 1);
    await inWriteTime(database, () =>
      counters(database).updateOne({ _id: name }, { $max: { next } }, { upsert: true, ...outside }),
    );
  }
}
