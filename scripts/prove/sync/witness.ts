import type { Timestamp } from 'mongodb';
import { sendAs } from '../../../test/content/rights/serve-accounts.js';
import { readList } from '../../../test/api/sync/serve-sync.js';
import type { Held } from './access.js';
import type { Caller } from './callers.js';
import type { World } from './world.js';

/** A query, and whose. */
export interface Asking {
  readonly caller: Caller;
  readonly shape: string;
}

/** Entries as texts, by id. */
type Entries = ReadonlyMap<number, string>;

/** What callers could read at one moment, at which nothing was written. */
interface Moment {
  readonly time: Timestamp;
  /** By query and caller; null: it is not known what they could read in between. */
  readonly visible: ReadonlyMap<string, Entries> | null;
}

/** Knows what callers could read at all moments of a seed. */
export class Witness {
  readonly #world: World;
  readonly #asking: ReadonlyMap<string, Asking>;
  readonly #moments: Moment[] = [];
  /** Numbers of the log with their times; without resets, whose times are not in order. */
  readonly #log: { readonly seq: number; readonly time: Timestamp }[] = [];

  constructor(world: World, asking: readonly Asking[]) {
    this.#world = world;
    this.#asking = new Map(asking.map((one) => [keyOf(one), one]));
  }

  /** Notes what callers can read now. `isClear`: whether the operation before was a single write. */
  async note(isClear: boolean): Promise<void> {
    await this.#world.settled();
    const { operationTime } = (await this.#world.database.db.command({ ping: 1 })) as { readonly operationTime: Timestamp };
    const listed = await Promise.all(
      [...this.#asking].map(async ([key, { caller, shape }]) => [key, await this.list(caller, shape)] as const),
    );
    const isKnown = isClear && listed.every(([, entries]) => entries !== 'unknown');
    const visible = new Map(listed.map(([key, entries]) => [key, entries instanceof Map ? entries : new Map()] as const));
    this.#moments.push({ time: operationTime, visible: isKnown ? visible : null });
  }

  /** Returns what a caller can read now; null if the query is refused; `ended` if the caller is, who may be admitted again later. */
  async list({ valid }: Caller, shape: string): Promise<Entries | null | 'unknown' | 'ended'> {
    const as = (token: string | null, method: string, path: string) => sendAs(token, method, `${this.#world.urlOf(0)}${path}`);
    const { status, entries } = await readList({ as }, valid(), shape).catch(() => ({ status: 500, entries: {} }));
    if (status >= 500) return 'unknown';
    if (status === 401) return 'ended';
    return status === 200 ? textsOf(new Map(Object.entries(entries).map(([id, entry]) => [Number(id), entry]))) : null;
  }

  /**
   * Returns the entries that a client holds although its caller could not read them at any moment since its token. A client that is up
   * to date holds them as they were at such a moment; one with more to read may hold an older form, and so may one that has not
   * heard yet that the entry is hidden: changes before that are not answered any more.
   */
  async wrongIn({ caller, shape }: Asking, { entries, seq, isCurrent }: Held): Promise<string[]> {
    if (seq === null || entries.size === 0) return [];
    await this.#readLog();
    const since = this.#moments.slice(this.#momentOf(seq));
    if (since.some(({ visible }) => visible === null)) return [];
    const key = keyOf({ caller, shape });
    return [...textsOf(entries)].flatMap(([id, text]) => {
      const read = since.map(({ visible }) => visible?.get(key)?.get(id));
      const isHiddenLater = read[0] !== undefined && read.includes(undefined);
      const wasReadable =
        isHiddenLater && this.#moments.some(({ visible }) => visible === null || visible.get(key)?.get(id) === text);
      const isReadable = isCurrent ? read.includes(text) || wasReadable : read.some((form) => form !== undefined);
      const forms = [...new Set(read)].map((form) => form ?? 'hidden').join('\n    then ');
      return isReadable ? [] : [`${String(id)} ${text}\n  at ${String(seq)}, since when it was ${forms}`];
    });
  }

  /** Returns the number of the last change in the log that is no reset. */
  async lastSeq(): Promise<number> {
    await this.#readLog();
    return this.#log.at(-1)?.seq ?? 0;
  }

  async #readLog(): Promise<void> {
    const found = await this.#world.database.db
      .collection<{ _id: number; time: Timestamp }>('_changes')
      .find({ _id: { $gt: this.#log.at(-1)?.seq ?? 0 }, kind: { $ne: 'reset' }, token: { $gt: '' } }, { projection: { time: 1 } })
      .sort({ _id: 1 })
      .toArray();
    const known = this.#log.at(-1)?.seq ?? 0; // other clients are judged at the same time
    this.#log.push(...found.filter(({ _id }) => _id > known).map(({ _id, time }) => ({ seq: _id, time })));
  }

  /** Returns the first moment that is known to have all that the log contains up to a number, and nothing more. */
  #momentOf(seq: number): number {
    const ends = this.#moments.map(({ time }) => this.#endAt(time));
    const last = ends.findLast((end) => end <= seq) ?? 0;
    return Math.max(ends.indexOf(last), 0);
  }

  /** Returns the number of the last change up to a time. Without a later one, the log may not have all of them yet: it is infinite. */
  #endAt(time: Timestamp): number {
    const isWhole = this.#log.at(-1)?.time.gt(time) === true;
    return isWhole ? (this.#log.findLast((row) => row.time.lte(time))?.seq ?? 0) : Infinity;
  }
}

const keyOf = ({ caller, shape }: Asking): string => `${caller.name} ${shape}`;

export const textsOf = (entries: ReadonlyMap<number, unknown>): Entries =>
  new Map([...entries].map(([id, entry]) => [id, JSON.stringify(entry, sorted)]));

/** Sorts the keys of objects. */
const sorted = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
