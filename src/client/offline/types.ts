import type { TypeShape, Types } from '../entry.js';
import type { Sort } from '../query.js';
import type { Uploadable } from '../upload.js';
import type { Standing } from './keeper.js';
import type { Conflict, Id, Op, Parts, PushError } from './queued-write.js';

/** Names of the types that can be copied. */
export type Copied<T extends Types<T>> = {
  [Name in keyof T]: 'collectionType' extends T[Name]['kind'] ? Name : never;
}[keyof T] &
  string;

type LinkOf<Link> = Link extends { one: unknown }
  ? Id | null
  : Link extends { many: unknown } | { files: unknown }
    ? readonly Id[]
    : unknown;

/** An entry without envelope: its values, its components, and ids for the relations and files that it stores. */
export type OfflineEntry<T extends TypeShape = TypeShape> = { readonly id: Id } & Readonly<Partial<T['values']>> & {
    readonly [Name in keyof T['links']]?: LinkOf<T['links'][Name]>;
  };

type InputValue<Value> = Value extends number ? Value | string : Value extends readonly number[] ? readonly Id[] : Value;

/** Values of an entry: ids may be those of entries that were made on the device, and files may stand where the id of one is expected. */
export type OfflineInput<Input> = {
  readonly [Name in keyof Input]: InputValue<Input[Name]> | Uploadable | readonly Uploadable[];
};

/** Which entries a list has, and in which order. */
export interface OfflineQuery<T extends TypeShape = TypeShape> {
  readonly filters?: T['filters'];
  readonly sort?: Sort<T>;
  readonly start?: number;
  /** The maximum number of entries; all unless given. */
  readonly limit?: number;
}

/** A write that the service has not carried out. */
export interface OfflineWrite extends Parts {
  readonly key: string;
  readonly op: Op;
  readonly type: string;
  readonly id: Id;
  readonly locale?: string | undefined;
  /** `waiting`: for a create, or for an earlier write to the same entry. */
  readonly status: 'pending' | 'waiting' | 'conflict' | 'refused';
  readonly conflicts?: Readonly<Record<string, Conflict>> | undefined;
  readonly error?: PushError | undefined;
}

export interface OfflineStatus extends Standing {
  /** Whether the copies of all types have been complete since the engine was created. */
  readonly isCurrent: boolean;
  /** Numbers of writes; those that wait are pending. */
  readonly pending: number;
  readonly conflicts: number;
  readonly refused: number;
}

type Numbers = Readonly<Record<string, number>>;
type Ids = Readonly<Record<string, readonly Id[]>>;

/** Entries that are read and written without a network. */
export interface Offline<T extends Types<T>> {
  /** Returns the entries that meet the filter. Throws an error if the copy cannot tell. */
  list<Name extends Copied<T>>(type: Name, query?: OfflineQuery<T[Name]>): Promise<readonly OfflineEntry<T[Name]>[]>;
  /** Returns an entry; null if the device does not have it. */
  get<Name extends Copied<T>>(type: Name, id: Id): Promise<OfflineEntry<T[Name]> | null>;
  /** Calls a listener with the list, and again each time it has changed. Returns what ends this. */
  watch<Name extends Copied<T>>(
    type: Name,
    query: OfflineQuery<T[Name]>,
    listener: (entries: readonly OfflineEntry<T[Name]>[]) => void,
  ): () => void;
  /** Creates an entry. Returns it with a `$…` id, by which it is found ever after. `locale` of the data is that of the entry. */
  create<Name extends Copied<T>>(type: Name, data: OfflineInput<T[Name]['create']>): Promise<OfflineEntry<T[Name]>>;
  /** Changes values of an entry. Throws an error if the device does not have it. */
  update<Name extends Copied<T>>(type: Name, id: Id, data: OfflineInput<T[Name]['input']>): Promise<void>;
  /** Deletes an entry. With names of attributes, it is a conflict if one of them has another value than it has here. */
  delete<Name extends Copied<T>>(type: Name, id: Id, unchanged?: readonly string[]): Promise<void>;
  /** Adds to numbers; the sum is right whoever else does. */
  increment<Name extends Copied<T>>(type: Name, id: Id, by: Numbers): Promise<void>;
  /** Adds to relations and files to many. */
  add<Name extends Copied<T>>(type: Name, id: Id, ids: Ids): Promise<void>;
  /** Removes from relations and files to many. */
  remove<Name extends Copied<T>>(type: Name, id: Id, ids: Ids): Promise<void>;
  /** Returns the writes that have not been answered, in order. */
  pending(): Promise<readonly OfflineWrite[]>;
  conflicts(): Promise<readonly OfflineWrite[]>;
  refused(): Promise<readonly OfflineWrite[]>;
  /**
   * Decides about a write in conflict, or a refused one: `mine` sends it again, over what others have written; `theirs` gives it up;
   * values are sent in place of those in conflict.
   */
  resolve(key: string, decision: 'mine' | 'theirs' | Readonly<Record<string, unknown>>): Promise<void>;
  /** Gives up a write; with a create, all writes to its entry. What was sent without an answer may have been carried out. */
  drop(key: string): Promise<void>;
  status(): Promise<OfflineStatus>;
  /** Returns a file that waits, by its `$…` id; null if there is none. */
  file(id: Id): Promise<Uploadable | null>;
  /** Sends what can be sent now. Throws a Failure if the service is not reached. */
  push(): Promise<void>;
  /** Brings the copies up to date. Throws a Failure if the service is not reached. */
  pull(): Promise<void>;
  close(): Promise<void>;
}
