/** The value of an attribute when it was read, and the one that is set. Without `from` the last writer wins. */
export interface PushedValue {
  readonly from?: unknown;
  readonly to?: unknown;
}

/** An id, or the name that the app has given to a new entry: `$` and a UUID. */
export type PushedId = number | `$${string}`;

/** A write that the app has made without the service. */
export interface PushedWrite {
  /** A text that no other write has, such as a UUID. It is kept with the write, so that the write is carried out once. */
  readonly key: string;
  readonly op: 'create' | 'update' | 'delete';
  /** The plural name of a synced type. */
  readonly type: string;
  readonly id: PushedId;
  readonly set?: Readonly<Record<string, PushedValue>>;
  /** Added to numbers; integers of 64 bits are texts. */
  readonly increment?: Readonly<Record<string, number | string>>;
  /** Added to and removed from relations and media to many. */
  readonly add?: Readonly<Record<string, readonly PushedId[]>>;
  readonly remove?: Readonly<Record<string, readonly PushedId[]>>;
  /** Of a new entry. */
  readonly locale?: string;
}

/** What has become of a write. */
export interface PushAnswer {
  readonly key: string;
  /** `waiting`: it is pushed again when the write that it depends on is applied. */
  readonly status: 'applied' | 'conflict' | 'refused' | 'waiting';
  readonly id: PushedId;
  readonly version: string | null;
  /** The entry as the caller sees it now, in the form of a copy. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly conflicts?: Readonly<Record<string, { readonly from: unknown; readonly mine?: unknown; readonly theirs: unknown }>>;
  readonly error?: { readonly status: number; readonly name: string; readonly message: string; readonly details?: unknown };
}

/** How the values of an attribute are compared and merged: as a scalar or a whole, as an id, or as a list of ids. */
export type MergeKind = 'scalar' | 'whole' | 'one' | 'many';

/** How the attributes of synced types are merged, by the plural name of the type. */
export interface SyncSchema {
  readonly data: Readonly<Record<string, Readonly<Record<string, MergeKind>>>>;
  /** `renamed`: for each type, other names that writes may use for renamed attributes, with the names that are in force. */
  readonly meta: { readonly renamed?: Readonly<Record<string, Readonly<Record<string, string>>>> };
}
