import type { SyncChange } from '../sync.js';
import {
  type Entry,
  type Id,
  type IdOf,
  mapValues,
  type Names,
  namesIn,
  pendingAgain,
  type QueuedWrite,
  rowOf,
  underAllNames,
} from './queued-write.js';
import { put, type Row } from './store.js';
import { overlaid, type Schema } from './overlay.js';

/**
 * What a device holds for one user: the copy, and the writes that wait. Rows have these keys: `e/TYPE/ID` an entry, `t/TYPE` the token of
 * a copy, `w/ORDER` a write, `i/NAME` the id that an entry or file of that name got, `schema`, `renamed`, and `rev`, which counts the changes.
 */
export class DeviceState {
  rev = 0;
  /** Null before it was read. */
  schema: Schema | null = null;
  /** Other names of attributes, by type. */
  renamed: Readonly<Record<string, Names>> = {};
  readonly ids = new Map<string, number | null>();
  readonly writes = new Map<string, QueuedWrite>();
  readonly #entries = new Map<string, Map<Id, Entry>>();
  readonly #tokens = new Map<string, string>();
  readonly #shown = new Map<string, ReadonlyMap<Id, Entry>>();
  #sorted: readonly QueuedWrite[] | null = null;

  constructor(rows: readonly Row[]) {
    for (const row of rows) this.#take(row);
  }

  take(rows: readonly Row[]): void {
    for (const row of rows) this.#take(row);
    this.#shown.clear();
    this.#sorted = null;
  }

  #take([key, value]: Row): void {
    const [kind = '', name = '', id] = key.split('/');
    if (kind === 'e') put<Id, Entry>(this.entriesOf(name), Number(id), value);
    else if (kind === 'schema') this.schema = value as Schema | null;
    else if (kind === 'renamed') this.renamed = value as DeviceState['renamed'];
    else if (kind === 'rev') this.rev = Number(value);
    // newer engines may know more kinds
    else put(({ w: this.writes, t: this.#tokens, i: this.ids }[kind] ?? new Map()) as Map<string, never>, name, value);
  }

  /** Returns the entries of the copy, without what waits. */
  entriesOf(type: string): Map<Id, Entry> {
    const entries = this.#entries.get(type) ?? new Map<Id, Entry>();
    this.#entries.set(type, entries);
    return entries;
  }

  token(type: string): string | undefined {
    return this.#tokens.get(type);
  }

  /** Returns the id that an entry or file has now. */
  readonly idOf: IdOf = (id) => {
    const now = this.ids.get(String(id));
    return now === undefined ? id : now;
  };

  /** Returns the writes in their order. */
  sorted(): readonly QueuedWrite[] {
    return (this.#sorted ??= [...this.writes.values()].sort((one, other) => (one.order < other.order ? -1 : 1)));
  }

  /** Returns the entries of a type as they are shown: the copy with all writes that it does not contain. */
  shown(type: string): ReadonlyMap<Id, Entry> {
    const shown = this.#shown.get(type) ?? overlaid(this, type);
    this.#shown.set(type, shown);
    return shown;
  }

  /**
   * Returns the writes that can be sent now, and those that wait for another one: a create, or an earlier write to the same entry. `stuck`
   * are the keys of those that the service makes wait.
   */
  queue(stuck?: ReadonlySet<string>): { readonly ready: readonly QueuedWrite[]; readonly waiting: ReadonlySet<QueuedWrite> } {
    const ready: QueuedWrite[] = [];
    const waiting = new Set<QueuedWrite>();
    const blocked = new Set<unknown>();
    const writes = this.sorted().filter(({ state }) => state !== 'applied');
    const missing = new Set(writes.flatMap(({ op, id }) => (op === 'create' ? [id] : [])));
    for (const write of writes) {
      const { key, op, type, id, body, state } = write;
      const entry = `${type} ${String(this.idOf(id))}`;
      const lacks = !body && namesIn(write).some((name) => missing.has(name) && (op !== 'create' || name !== id));
      const isPending = state === 'pending';
      if (isPending && !blocked.has(entry) && !lacks && !stuck?.has(key)) {
        ready.push(write);
        missing.delete(id);
        continue;
      }
      blocked.add(entry);
      if (isPending) waiting.add(write);
    }
    return { ready, waiting };
  }

  /** Returns the rows that changes of the copy make; without a token, the copy ends. Entries are stored without envelope. */
  changed(type: string, changes: readonly SyncChange[], token?: string): Row[] {
    const rows = changes.map((change): Row => {
      const key = `e/${type}/${String(change.id)}`;
      return change.op === 'delete' ? [key, undefined] : [key, this.flat(type, change.id, change.attributes)];
    });
    const gone = new Set<Id | null>(changes.filter(({ op }) => op === 'delete').map(({ id }) => id));
    return [...rows, [`t/${type}`, token], ...this.#hidden(type, (id) => !token || gone.has(id))];
  }

  /** Returns the rows that remove the copy of a type. */
  cleared(type: string): Row[] {
    const gone = [...this.entriesOf(type).keys()].map((id): SyncChange => ({ op: 'delete', id: Number(id) }));
    return [...this.changed(type, gone), ['schema', undefined]];
  }

  /** What was answered to writes may not be shown any longer than the entry. A conflict, which has values of others, is asked anew. */
  #hidden(type: string, isHidden: (id: Id | null) => boolean): Row[] {
    return this.sorted().flatMap((write): Row[] => {
      if (write.type !== type || !isHidden(this.idOf(write.id))) return [];
      if (write.state === 'applied') return [rowOf(write)];
      return write.state === 'conflict' ? [rowOf(write, pendingAgain(write))] : [];
    });
  }

  /** Returns an entry of an answer without envelope. */
  flat(type: string, id: Id, attributes: object): Entry {
    const kinds = this.schema?.[type] ?? {};
    const values = mapValues({ ...attributes }, (value: unknown, name) => flatValue(value, kinds[name]));
    return { ...underAllNames(values, this.renamed[type]), id };
  }
}

/** Returns ids in place of `{ id }`, also in a list. */
function flatValue(value: unknown, kind?: string): unknown {
  if (kind === 'scalar' || kind === 'whole') return value;
  if (Array.isArray(value)) return value.map((one: unknown) => flatValue(one));
  return isLink(value) ? value.id : kind === 'many' ? (value ?? []) : value;
}

const isLink = (value: unknown): value is { readonly id: number } => Object.keys(Object(value) as object).join() === 'id';
