import type { Client } from '../client.js';
import type { AnyTypes, Types } from '../entry.js';
import { comparing, meetsFilter } from './conditions.js';
import type { DeviceState } from './device-state.js';
import { Keeper, type OfflineClient } from './keeper.js';
import { dropped, type WriteInput, newName, rowsOfWrite, rowsOfDecision, shownEntry, shownWrite } from './outbox.js';
import { type Entry, type Id, mapValues, type QueuedWrite } from './queued-write.js';
import type { OfflineStore } from './store.js';
import { Syncing } from './syncing.js';
import type { Copied, Offline, OfflineQuery } from './types.js';

export type { Conflict, Id, PushError } from './queued-write.js';
export { memoryStore, type OfflineStore, type Row } from './store.js';
export type { Offline, OfflineEntry, OfflineInput, OfflineQuery, OfflineStatus, OfflineWrite } from './types.js';

export interface OfflineOptions<T extends Types<T>> {
  readonly client: Client<T>;
  /** Where the copy and the writes are kept. */
  readonly store: OfflineStore;
  /** The types that are copied: plural names of synced types. */
  readonly types: readonly Copied<T>[];
  /** Whether to pull and push by itself; true by default. Otherwise the app calls `pull` and `push`. */
  readonly automatic?: boolean;
  /** Called when entries, writes or the status have changed. */
  readonly onChange?: () => void;
}

/**
 * Creates an engine that shows and writes entries without a network. What it shows is the copy of what the user may see, with all writes
 * of the device that the service has not carried out.
 *
 * @example
 * const offline = createOffline<ContentTypes>({ client, store: indexedDbStore('app'), types: ['articles', 'tags'] });
 * await offline.create('articles', { title: 'From the train' });
 */
export function createOffline<T extends Types<T> = AnyTypes>(options: OfflineOptions<T>): Offline<T> {
  const { client, store, types, automatic = true, onChange } = options;
  const keeper = new Keeper(client as unknown as OfflineClient, store);
  const watching = new Set<() => void>();
  const syncing = new Syncing(keeper, types);
  keeper.onChange = (isWrite) => {
    for (const look of watching) look();
    if (isWrite) syncing.wake();
    if (onChange) queueMicrotask(onChange); // its errors are not those of a write
  };
  syncing.start(automatic);
  const { status, push, pull, close } = syncing;
  const engine: unknown = {
    ...readers(keeper, types, watching),
    ...writers(keeper, types),
    ...outboxOf(keeper),
    ...{ status, push, pull, close },
  };
  return engine as Offline<T>; // the types of entries follow from the models only
}

const checkType = (types: readonly string[], type: string): void => {
  if (!types.includes(type)) throw new Error(`There is no type ${type}`);
};

function readers(keeper: Keeper, types: readonly string[], watching: Set<() => void>) {
  const list = async (
    type: string,
    { filters, sort, start = 0, limit = Infinity }: OfflineQuery = {},
  ): Promise<readonly Entry[]> => {
    checkType(types, type);
    const held = await keeper.held();
    const kinds = held.schema?.[type] ?? {};
    const all = [...held.shown(type).values()];
    const found = filters ? all.filter((entry) => meetsFilter(entry, filters, kinds)) : all;
    return found.sort(comparing(sort as string | undefined)).slice(start, start + limit);
  };
  const get = async (type: string, id: Id): Promise<Entry | null> => {
    checkType(types, type);
    return shownEntry(await keeper.held(), type, id) ?? null;
  };
  return { list, get, watch: watcher(list, watching) };
}

type List = (type: string, query: OfflineQuery) => Promise<readonly Entry[]>;

/** Returns the function that calls a listener each time a list has changed. */
const watcher =
  (list: List, watching: Set<() => void>) =>
  (type: string, query: OfflineQuery, listener: (entries: readonly Entry[]) => void): (() => void) => {
    let shown: readonly Entry[] | null = null;
    let isStale = false;
    let last = Promise.resolve();
    const look = async (): Promise<void> => {
      isStale = false;
      const entries = await list(type, query);
      const isEqual = shown?.length === entries.length && entries.every((entry, index) => isSame(entry, shown?.[index]));
      shown = entries;
      if (!isEqual && watching.has(run)) listener(entries);
    };
    const run = (): void => {
      if (isStale) return;
      isStale = true;
      last = last.then(look).catch(console.error); // the next change is looked at again
    };
    watching.add(run);
    run();
    return () => watching.delete(run);
  };

/** Entries that nothing has changed are the same objects. */
const isSame = (one: Entry, other: Entry | undefined): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

type Values = Readonly<Record<string, unknown>>;

function writers(keeper: Keeper, types: readonly string[]) {
  const write = async (input: WriteInput): Promise<void> => {
    checkType(types, input.type);
    await keeper.change((state) => rowsOfWrite(state, input));
  };
  const assigned = (data: Values) => mapValues(data, (to) => ({ to }));
  const part = (name: 'increment' | 'add' | 'remove') => (type: string, id: Id, values: Values) =>
    write({ op: 'update', type, id, [name]: values });
  return {
    create: async (type: string, { locale, ...data }: Values): Promise<Entry | undefined> => {
      const id = newName();
      await write({ op: 'create', type, id, set: assigned(data), locale: locale as string | undefined });
      return shownEntry(await keeper.held(), type, id);
    },
    update: (type: string, id: Id, data: Values) => write({ op: 'update', type, id, set: assigned(data) }),
    delete: (type: string, id: Id, unchanged: readonly string[] = []) => {
      const set = Object.fromEntries(unchanged.map((name) => [name, {}]));
      return write({ op: 'delete', type, id, set });
    },
    increment: part('increment'),
    add: part('add'),
    remove: part('remove'),
  };
}

function outboxOf(keeper: Keeper) {
  const writesIn = (state: QueuedWrite['state']) => async () => {
    const held = await keeper.held();
    const { waiting } = held.queue();
    return held.sorted().flatMap((write) => (write.state === state ? [shownWrite(write, waiting.has(write))] : []));
  };
  const find = (state: DeviceState, key: string): QueuedWrite => {
    const found = state.sorted().find((write) => write.key === key && write.state !== 'applied');
    if (!found) throw new Error(`There is no write ${key}`);
    return found;
  };
  return {
    pending: writesIn('pending'),
    conflicts: writesIn('conflict'),
    refused: writesIn('refused'),
    drop: (key: string) => keeper.change((state) => dropped(state, find(state, key))),
    resolve: (key: string, decision: 'mine' | 'theirs' | Values) =>
      keeper.change((state) => {
        const write = find(state, key);
        if (write.state === 'pending') throw new Error(`${key} is pending`);
        return rowsOfDecision(state, write, decision);
      }),
    file: async (id: Id) => {
      await keeper.held();
      return (await keeper.file(String(id))) ?? null;
    },
  };
}
