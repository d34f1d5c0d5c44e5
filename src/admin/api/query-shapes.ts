import { BoundedCache, memoize } from '#base/caches.js';
import type { Config } from '#settings/config.js';
import type { Database } from '#store/send/database.js';
import { addShapes, type ShapeReads } from './shape-reads.js';
import type { ObservationOf } from '#base/observe/observation.js';
import type { ExaminedRead } from '#base/observe/request-observations.js';
import type { Consumer } from '#base/observe/observer.js';

type CostlyRead = ObservationOf<'read costly'>;

/** The reads of a shape that are not stored yet. `examine` belongs to the last one. */
interface Noted extends Omit<ShapeReads, 'examined'>, Pick<CostlyRead, 'examine'> {}

/** Maximum number of shapes that are noted until they are stored, and of those that are examined at a time. */
const most = { noted: 200, examined: 10 };

/** Milliseconds for which it is known what the server does for a shape. */
const knownFor = 3_600_000;

/** What the server does for a shape; null if that could not be found out. */
interface QueryShape {
  readonly examined: ExaminedRead | null;
  readonly until: number;
}

/** The costly reads of this instance, by their shapes. */
class QueryShapes {
  #noted = new Map<string, Noted>();
  readonly #shapes = new BoundedCache<QueryShape>({ entries: 500, bytes: 500_000 });
  #storing: Promise<void> = Promise.resolve();

  readonly consumer: Consumer = { 'read costly': (read) => this.#note(read) };

  /** Stores what was noted. Asks the server once per hour and shape what it does, for some shapes at a time. */
  store(database: Database): Promise<void> {
    this.#storing = this.#storing.catch(() => undefined).then(() => this.#storeNoted(database));
    return this.#storing;
  }

  #note({ type: uid, way, ms, isSlow, shape: describe, examine }: CostlyRead): void {
    const shape = describe();
    const key = `${uid} ${shape}`;
    const before = this.#noted.get(key);
    if (before === undefined && this.#noted.size >= most.noted) return;
    this.#noted.set(key, {
      ...{ uid, shape, way, examine, lastAt: new Date() },
      count: (before?.count ?? 0) + 1,
      slow: (before?.slow ?? 0) + Number(isSlow),
      ms: (before?.ms ?? 0) + Math.round(ms),
      maxMs: Math.max(before?.maxMs ?? 0, Math.round(ms)),
    });
  }

  async #storeNoted(database: Database): Promise<void> {
    const noted = this.#noted;
    this.#noted = new Map();
    const unknown = [...noted].filter(([key]) => (this.#shapes.get(key)?.until ?? 0) < Date.now());
    for (const [key, { examine }] of unknown.slice(0, most.examined)) {
      const examined = await examine().catch(() => null);
      this.#shapes.set(key, { examined, until: Date.now() + knownFor }, 1_000);
    }
    const reads = [...noted].map(([key, { uid, shape, way, count, slow, ms, maxMs, lastAt }]) => ({
      ...{ uid, shape, way, count, slow, ms, maxMs, lastAt },
      examined: this.#shapes.get(key)?.examined ?? null,
    }));
    // an index that an operator has made may serve what those of the model do not
    await addShapes(
      database,
      reads.filter(({ slow, examined }) => slow > 0 || examined?.isUnindexed !== false),
    );
  }
}

/** Returns the costly reads of the service with a configuration. */
export const shapesOf: (server: Config['server']) => QueryShapes = memoize(() => new QueryShapes());
