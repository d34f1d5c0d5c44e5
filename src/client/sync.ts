import type { Client } from './client.js';
import type { TypeShape, Types } from './entry.js';
import type { Failure } from './failure.js';
import type { PushAnswer, PushedWrite, SyncSchema } from './push.js';
import type { Call, CallOptions } from './requester.js';
import { overlay, type OwnWrite, OwnWrites } from './own-writes.js';
import { pause, type Signal } from './transport.js';

export type { MergeKind, PushAnswer, PushedId, PushedValue, PushedWrite, SyncSchema } from './push.js';

/** An entry in a copy: its values, its components, and `{ id }` for the relations and files that it stores. */
export interface SyncedEntry<T extends TypeShape = TypeShape> {
  readonly id: number;
  readonly attributes: Partial<T['values']> & { readonly [Name in keyof T['links']]?: unknown };
}

/** A change of a copy. */
export type SyncChange<T extends TypeShape = TypeShape> =
  ({ readonly op: 'upsert' } & SyncedEntry<T>) | { readonly op: 'delete'; readonly id: number };

/** Where a copy is kept. */
export interface SyncStore<T extends TypeShape = TypeShape> {
  /** Returns the token that was stored last; null if there is none. */
  token(): Promise<string | null> | string | null;
  /** Applies changes and stores the token behind them, all or nothing. */
  apply(changes: readonly SyncChange<T>[], token: string): Promise<void> | void;
  /** Removes all entries and the token. */
  clear(): Promise<void> | void;
  /** Returns the entries. */
  entries(): Promise<readonly SyncedEntry<T>[]> | readonly SyncedEntry<T>[];
}

/** Parameters that select entries, as in lists. */
interface SyncQuery<T extends TypeShape> {
  readonly filters?: T['filters'];
  readonly fields?: string | readonly string[];
  readonly locale?: string | readonly string[];
  readonly publicationState?: 'live' | 'preview';
}

interface SyncOptions {
  /** Ends the copying. */
  readonly signal?: Signal;
  /** Called after each change of the copy, and when it is complete. */
  readonly onChange?: () => void;
  /** Called with each failure after which it is tried again. */
  readonly onFailure?: (failure: Failure) => void;
  /** Seconds that a request waits for a change; 25 by default, at most 55. With 0, it ends when the copy is up to date. */
  readonly wait?: number;
}

/** Names of the types that are read as lists. */
type Listed<T extends Types<T>> = {
  [Name in keyof T]: 'collectionType' extends T[Name]['kind'] ? ('find' extends T[Name]['actions'] ? Name : never) : never;
}[keyof T] &
  string;

export interface Syncing<T extends Types<T>> {
  /**
   * Copies the entries of a type to a store, and keeps the copy up to date until the signal aborts. If the user may no longer see
   * what was copied, the copy is removed and made anew. Throws a Failure if the request is refused.
   */
  sync<Name extends Listed<T>>(
    name: Name,
    query: SyncQuery<T[Name]>,
    store: SyncStore<T[Name]>,
    options?: SyncOptions,
  ): Promise<void>;
  /**
   * Resolves when every copy that this client keeps contains a write: its answer, or its `Sync-Position`. Resolves at once if there is
   * no copy, or the answer names no place.
   */
  reached(write: object | string): Promise<void>;
  /**
   * Returns the entries of a store, with what `create`, `update` and `delete` of this client have written and the copy does not contain
   * yet, so that nothing that a user has saved disappears meanwhile. `onChange` of the copy is called for these writes too.
   */
  entries<Shape extends TypeShape>(store: SyncStore<Shape>): Promise<readonly SyncedEntry<Shape>[]>;
  /**
   * Pushes writes that the app has made without the service, at most 100. Those of other outcomes than `applied` change nothing. The same
   * push may be sent again after any failure.
   */
  push(writes: readonly PushedWrite[], options?: CallOptions): Promise<{ data: PushAnswer[]; meta: object }>;
  /**
   * Reads how the attributes of synced types are merged: of the named types, or of all. Types that the user may not see are missing.
   */
  syncSchema(types?: readonly string[], options?: CallOptions): Promise<SyncSchema>;
}

interface Answered {
  readonly data: readonly SyncChange[];
  readonly meta: { readonly sync: { readonly token: string; readonly more: boolean; readonly position?: string } };
}

/** A copy that is being made. */
interface Copying {
  readonly path: string;
  readonly query: object;
  readonly store: SyncStore;
  readonly options: SyncOptions;
  /** Called with the place of the last write that the copy contains. Returns whether other entries are to be shown. */
  readonly onPosition: (position: string) => boolean;
}

/** Returns a client that can also copy entries. */
export function withSync<T extends Types<T>>(client: Client<T>): Client<T> & Syncing<T> {
  const writes = new OwnWrites();
  const send: Send = (call) => client.request(call);
  const sync = async (name: string, query: object, store: SyncStore, options: SyncOptions = {}): Promise<void> => {
    const copy = { name, position: '', ...(options.onChange && { onChange: options.onChange }) };
    const onPosition = (position: string): boolean => writes.move(store, { ...copy, position });
    onPosition('');
    await keepCopy({ path: `/sync/${encodeURIComponent(name)}`, query, store, options, onPosition }, send).finally(() =>
      writes.end(store),
    );
  };
  const reached = (write: object | string): Promise<void> =>
    writes.reached(typeof write === 'string' ? write : (client.positionOf(write) ?? ''));
  const entries = async (store: SyncStore) => overlay(await store.entries(), writes.of(store));
  const push = (pushed: readonly PushedWrite[], options?: CallOptions) =>
    send({ ...options, method: 'POST', path: '/sync/push', body: { writes: pushed } });
  const syncSchema = (types?: readonly string[], options?: CallOptions) =>
    send({ ...options, method: 'GET', path: '/sync/schema', query: types === undefined ? {} : { types: types.join() } });
  const methods = { ...noting(client as unknown as Writing, writes), sync, reached, entries, push, syncSchema };
  return { ...client, ...methods } as unknown as Client<T> & Syncing<T>; // the types of queries and stores follow from the models only
}

type Write = (name: string, ...rest: readonly unknown[]) => Promise<object>;
type Writing = Readonly<Record<'create' | 'update' | 'delete', Write>> & Pick<Client<object>, 'positionOf'>;

/** Returns the methods that write entries, which note what they have written. */
const noting = (client: Writing, writes: OwnWrites) => {
  const note =
    (action: 'create' | 'update' | 'delete'): Write =>
    async (name, ...rest) => {
      const answer = await client[action](name, ...rest);
      const { data } = answer as { readonly data: OwnWrite['entry'] | null }; // the answer of every write of an entry
      const position = client.positionOf(answer);
      if (data !== null && position !== null) writes.add({ name, entry: data, isDeleted: action === 'delete', position });
      return answer;
    };
  return { create: note('create'), update: note('update'), delete: note('delete') };
};

type Send = (call: Call) => Promise<unknown>;

async function keepCopy(copying: Copying, send: Send): Promise<void> {
  const { onPosition, options } = copying;
  const { signal, onChange, wait = 25 } = options;
  const isOver = (): boolean => signal?.aborted === true;
  let failures = 0;
  let isCurrent = false;
  while (!isOver() && !(isCurrent && wait === 0)) {
    try {
      const { data, meta }: Answered = await step(copying, isCurrent ? wait : 0, send);
      const isNew = data.length > 0 || isCurrent === meta.sync.more;
      isCurrent = !meta.sync.more;
      failures = 0;
      const isMoved = meta.sync.position !== undefined && onPosition(meta.sync.position);
      if (isNew || isMoved) onChange?.();
    } catch (error) {
      if (isOver()) return;
      isCurrent = false;
      await recover(error as Failure, copying, failures); // of a request, or of the store
      failures += 1;
    }
  }
}

/** Reads what has changed, and stores it. */
async function step({ path, query, store, options: { signal } }: Copying, wait: number, send: Send): Promise<Answered> {
  const token = await store.token();
  const parameters = { ...query, ...(token !== null && { token }), ...(wait > 0 && { wait }) };
  const timeout = 1_000 * (wait + 30);
  const answered = (await send({ method: 'GET', path, query: parameters, timeout, ...(signal && { signal }) })) as Answered; // of sync
  await store.apply(answered.data, answered.meta.sync.token);
  return answered;
}

/** Removes a copy that must not be shown any more. Waits before the next attempt, or throws the failure if it would fail too. */
async function recover(failure: Failure, { store, options, onPosition }: Copying, failures: number): Promise<void> {
  if (hides(failure)) {
    await store.clear();
    onPosition('');
    options.onChange?.();
  }
  if (!mayPass(failure)) throw failure;
  options.onFailure?.(failure);
  await pause(Math.min(500 * 2 ** failures, 30_000), options.signal);
}

const statusOf = (failure: Failure): number => ('status' in failure ? failure.status : 0);

/** Returns whether the copy must not be shown any more. */
const hides = (failure: Failure): boolean => [403, 404, 410].includes(statusOf(failure));

/** Returns whether to try again: after a reset, and if the service is unreachable or asks to. */
const mayPass = (failure: Failure): boolean =>
  statusOf(failure) === 410 || ['unreachable', 'timeout', 'limited', 'unavailable'].includes(failure.kind);

/** Returns a store in memory. */
export function memoryStore<T extends TypeShape = TypeShape>(): SyncStore<T> {
  const held = new Map<number, SyncedEntry<T>>();
  let last: string | null = null;
  return {
    token: () => last,
    apply: (changes, token) => {
      for (const change of changes)
        if (change.op === 'upsert') held.set(change.id, { id: change.id, attributes: change.attributes });
        else held.delete(change.id);
      last = token;
    },
    clear: () => {
      held.clear();
      last = null;
    },
    entries: () => [...held.values()],
  };
}
