import type { Row } from './store.js';

/** The id of an entry; a text that begins with `$` if it was made on this device. */
export type Id = number | string;

/** An entry of the copy, without envelope: relations and files are ids. */
export type Entry = Readonly<Record<string, unknown>> & { readonly id: Id };

/** A value that an attribute gets, and the one that it had for whoever changed it. */
export interface Assigned {
  readonly from?: unknown;
  readonly to?: unknown;
}

/** What is written, by attribute. */
export interface Parts {
  readonly set?: Readonly<Record<string, Assigned>> | undefined;
  readonly increment?: Readonly<Record<string, number>> | undefined;
  readonly add?: Readonly<Record<string, readonly Id[]>> | undefined;
  readonly remove?: Readonly<Record<string, readonly Id[]>> | undefined;
}

/** The values of an attribute in a conflict: as it was, as this device writes it, and as it is now, if the user may read it. */
export interface Conflict {
  readonly from?: unknown;
  readonly mine?: unknown;
  readonly theirs?: unknown;
}

export interface PushError {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  readonly details?: unknown;
}

export type Op = 'create' | 'update' | 'delete';

/** A write that the service has not confirmed, or that the copy does not contain yet. */
export interface QueuedWrite extends Parts {
  readonly key: string;
  /** Its place among the writes of the device. */
  readonly order: string;
  readonly op: Op;
  readonly type: string;
  readonly id: Id;
  readonly locale?: string | undefined;
  /** When it was made, as an ISO date. */
  readonly madeAt: string;
  readonly state: 'pending' | 'conflict' | 'refused' | 'applied';
  /** The names of the files that are uploaded before. */
  readonly files?: readonly string[] | undefined;
  /** What was sent, while its outcome is unknown: it is sent again exactly so. */
  readonly body?: object | undefined;
  readonly conflicts?: Readonly<Record<string, Conflict>> | undefined;
  readonly error?: PushError | undefined;
  /** The entry as it was answered, and the place of the write among all writes. */
  readonly entry?: Entry | undefined;
  readonly position?: string;
}

/** Returns the row of a write; without a value, it is removed. */
export const rowOf = ({ order }: Pick<QueuedWrite, 'order'>, value?: QueuedWrite): Row => [`w/${order}`, value];

/** Returns a write that is sent again, or for the first time. */
export const pendingAgain = (write: QueuedWrite): QueuedWrite => ({
  ...write,
  ...{ state: 'pending', body: undefined, conflicts: undefined, error: undefined },
});

/** Returns an object without some of its parts. */
export const without = (parts: object, names: readonly string[]): Record<string, never> =>
  Object.fromEntries(Object.entries(parts).filter(([name]) => !names.includes(name))) as Record<string, never>;

/** Names that apps may use besides those of the service, and the names for which they stand. */
export type Names = Readonly<Record<string, string>>;

/**
 * Returns the values of attributes, also under the other names of those that are renamed. Which of both names has the value does not
 * matter, because instances of the service change to the new one at different times.
 */
export const underAllNames = <Value>(values: Readonly<Record<string, Value>>, names: Names = {}): Record<string, Value> => ({
  ...mapValues(names, (name) => values[name] as Value),
  ...Object.fromEntries(Object.entries(names).map(([name, other]) => [other, values[name] as Value])),
  ...values,
});

/** Returns the parts of an object with other values. */
export const mapValues = <Value, Result>(
  parts: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> => Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, change(value, name)]));

/** Returns what an id of the device's own stands for; null if what it named was given up. */
export type IdOf = (id: Id) => Id | null;

/** Returns a value with names of the device's own replaced, also in lists. */
export const renamed = (value: unknown, idOf: IdOf): unknown =>
  typeof value === 'string' ? idOf(value) : isList(value) ? idsOf(value, idOf) : value;

const isName = (value: unknown): value is string => typeof value === 'string' && value.startsWith('$');

const isList = (value: unknown): value is readonly Id[] => Array.isArray(value);

/** Returns ids without those of what was given up. Nulls of a list that are none of its names stay. */
export const idsOf = (ids: readonly Id[], idOf: IdOf): readonly Id[] =>
  ids.flatMap((id) => (isName(id) ? (idOf(id) ?? []) : [id]));

/** Returns what may be a name of the device's own in a write. */
export const namesIn = ({ id, set = {}, add = {}, remove = {} }: QueuedWrite): readonly string[] =>
  [id, ...Object.values(set).map(({ to }) => to), ...Object.values(add), ...Object.values(remove)].flat().filter(isName);

/** Returns a write as it is pushed. */
export function bodyOf({ key, op, type, id, locale, set, increment, add, remove }: QueuedWrite, idOf: IdOf): object {
  const ids = (lists: Parts['add']) => lists && mapValues(lists, (list) => idsOf(list, idOf));
  const assigned = set && mapValues(set, (one) => mapValues({ ...one }, (value) => renamed(value, idOf)));
  const now = op === 'create' ? id : idOf(id);
  return { key, op, type, id: now, locale, set: assigned, increment, add: ids(add), remove: ids(remove) };
}

/**
 * Returns a write that was not sent with a later one to the same entry joined to it; null if they cannot be joined. So a text that is
 * saved at each key stroke is one write. One that names files or new entries stays behind what creates these.
 */
export function joinedWrite(write: QueuedWrite, later: QueuedWrite): QueuedWrite | null {
  const { op, set, increment, add, remove } = later;
  const isFixed = write.op === 'delete' || write.body || write.state === 'applied';
  if (isFixed || namesIn({ ...later, id: 0 })[0] || op !== 'update' || add || remove || (increment && write.op === 'create'))
    return null;
  const others = { ...write.add, ...write.remove, ...(set ? write.increment : write.set) };
  if (Object.keys(set ?? increment ?? {}).some((name) => name in others)) return null;
  const assigned = mapValues(set ?? {}, (one, name): Assigned => ({
    ...(write.op === 'create' ? {} : one),
    ...write.set?.[name],
    to: one.to,
  }));
  const summed = mapValues(increment ?? {}, (count, name) => count + (write.increment?.[name] ?? 0));
  return {
    ...(write.state === 'refused' ? pendingAgain(write) : write),
    set: write.set && set ? { ...write.set, ...assigned } : (write.set ?? (set && assigned)),
    increment: increment ? { ...write.increment, ...summed } : write.increment,
  };
}
