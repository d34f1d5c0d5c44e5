import { newKey } from '../requester.js';
import type { DeviceState } from './device-state.js';
import {
  type Assigned,
  type Entry,
  type Id,
  joinedWrite,
  mapValues,
  namesIn,
  type Op,
  type Parts,
  pendingAgain,
  type QueuedWrite,
  rowOf,
  without,
} from './queued-write.js';
import { isFile, type Row } from './store.js';
import type { OfflineWrite } from './types.js';

/** A write as the app makes it. */
export interface WriteInput extends Parts {
  readonly op: Op;
  readonly type: string;
  readonly id: Id;
  readonly locale?: string | undefined;
}

/** Returns an entry as it is shown, by any id that it has had. */
export const shownEntry = (state: DeviceState, type: string, id: Id): Entry | undefined => {
  const now = state.idOf(id);
  return now === null ? undefined : state.shown(type).get(now);
};

const rowsOfRemovedWrite = (write: QueuedWrite): Row[] => [
  rowOf(write),
  ...(write.files ?? []).map((name): Row => [`f/${name}`, undefined]),
];

/** Returns a name that no other device chooses, of the characters that names may have. */
export const newName = (): string => `$${newKey().replace(/\./g, '')}`;

/** Returns the rows of a new write. Throws an error if the device does not have the entry. */
export function rowsOfWrite(state: DeviceState, input: WriteInput): readonly Row[] {
  const { op, type, id } = input;
  const entry = shownEntry(state, type, id);
  if (op !== 'create' && !entry) throw new Error(`There is no ${type} ${id}`);
  const own = state.sorted().filter((write) => write.type === type && state.idOf(write.id) === state.idOf(id));
  const create = own.find((write) => write.op === 'create' && write.state !== 'applied');
  if (op === 'delete' && create && !create.body) return dropped(state, create);
  const kinds = state.schema?.[type];
  const { files, rows, set } = withFiles(input.set ?? {}, kinds);
  // copies lack inverse sides, which the app may know from elsewhere; of other attributes without a value here it has seen none
  const seen = ({ to }: Assigned, name: string): Assigned =>
    Array.isArray(to) && kinds && !(name in { ...kinds, ...entry }) ? {} : { from: entry?.[name] ?? null };
  const assigned = op === 'create' ? set : mapValues(set, (one, name): Assigned => ({ ...seen(one, name), ...one }));
  const write: QueuedWrite = {
    ...input,
    ...{ key: newKey(), order: nextOrder(state), madeAt: new Date().toISOString(), state: 'pending' },
    set: input.set && assigned,
    files,
  };
  const last = own.at(-1);
  const one = (last && joinedWrite(last, write)) ?? write;
  return [...rows, rowOf(one, one)];
}

/** Returns a place behind all writes. Those of several tabs are in the order of time. All have 13 digits, also if a clock was reset. */
function nextOrder(state: DeviceState): string {
  const last = parseInt(state.sorted().at(-1)?.order ?? '0');
  return `${String(Math.max(Date.now(), last + 1, 1e12))}-${newKey().slice(0, 8)}`;
}

/** Returns names in place of files, and the rows of the files. What is merged as a whole, such as JSON, has none. */
function withFiles(
  set: NonNullable<Parts['set']>,
  kinds: Readonly<Record<string, unknown>> = {},
): {
  readonly set: NonNullable<Parts['set']>;
  readonly files: readonly string[] | undefined;
  readonly rows: readonly Row[];
} {
  const rows: Row[] = [];
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    if (!isFile(value)) return value;
    const name = newName();
    rows.push([`f/${name}`, value]);
    return name;
  };
  const changed = mapValues(set, (one, name) => (kinds[name] === 'whole' ? one : { ...one, to: named(one.to) }));
  return { set: changed, rows, files: rows[0] && rows.map(([key]) => key.slice(2)) };
}

/** Returns the rows that remove a write; with a create, the writes to its entry, whose name then stands for nothing. */
export function dropped(state: DeviceState, write: QueuedWrite): readonly Row[] {
  if (write.op !== 'create') return rowsOfRemovedWrite(write);
  const own = state.sorted().filter(({ id }) => id === write.id);
  return [[`i/${String(write.id)}`, null], ...own.flatMap(rowsOfRemovedWrite)];
}

/** Returns the rows by which a write in conflict, or a refused one, is sent again or given up. */
export function rowsOfDecision(
  held: DeviceState,
  write: QueuedWrite,
  decision: 'mine' | 'theirs' | Readonly<Record<string, unknown>>,
): readonly Row[] {
  const { conflicts = {}, set = {}, state } = write;
  if (decision === 'theirs' && state === 'refused') return dropped(held, write);
  const seen = mapValues(conflicts, ({ theirs }, name): Assigned => {
    const { to } = set[name] ?? {};
    return theirs === undefined ? { to } : { to, from: theirs };
  });
  if (decision === 'theirs') {
    const left = without(set, Object.keys(conflicts));
    const [kept] = Object.keys({ ...left, ...write.increment, ...write.add, ...write.remove });
    return write.op === 'delete' || !kept ? rowsOfRemovedWrite(write) : [rowOf(write, { ...pendingAgain(write), set: left })];
  }
  const entry = shownEntry(held, write.type, write.id);
  const {
    set: values,
    rows,
    files,
  } = withFiles(decision === 'mine' ? {} : mapValues(decision, (to) => ({ to })), held.schema?.[write.type]);
  const given = mapValues(values, (one, name): Assigned =>
    write.op === 'create' ? one : { from: entry?.[name] ?? null, ...set[name], ...seen[name], ...one },
  );
  const next = { ...pendingAgain(write), set: { ...set, ...seen, ...given } };
  const named = namesIn(next);
  const isNamed = (name: string): boolean => named.includes(name);
  const all = [...(write.files ?? []), ...(files ?? [])];
  const gone = all.filter((name) => !isNamed(name)).map((name): Row => [`f/${name}`, undefined]);
  return [...rows, ...gone, rowOf(write, { ...next, files: all.filter(isNamed) })];
}

/** What only the engine uses of a write. */
const hidden = 'order madeAt state files body entry position'.split(' ');

/** Returns a write as an app sees it. */
export function shownWrite(write: QueuedWrite, isWaiting: boolean): OfflineWrite {
  const { conflicts, set, state } = write;
  const status = isWaiting ? 'waiting' : state;
  const decided = conflicts && mapValues(conflicts, (one, name) => ({ ...one, mine: set?.[name]?.to ?? one.mine }));
  return { ...without(write, hidden), conflicts: decided, status } as unknown as OfflineWrite; // applied writes are not shown
}
