import { type Entry, type Id, type IdOf, idsOf, mapValues, type QueuedWrite, renamed } from './queued-write.js';

/** What the attributes of a type are: values, an id, a list of ids, or something whole, such as a component. */
export type Schema = Readonly<Record<string, Readonly<Record<string, 'scalar' | 'one' | 'many' | 'whole'>>>>;

/** A copy, and the writes that it does not contain. */
interface Overlaid {
  readonly schema: Schema | null;
  readonly idOf: IdOf;
  sorted(): readonly QueuedWrite[];
  entriesOf(type: string): ReadonlyMap<Id, Entry>;
}

/** Returns the entries of a type with the writes that the copy does not contain. Entries that nothing changes stay the same objects. */
export function overlaid(state: Overlaid, type: string): ReadonlyMap<Id, Entry> {
  const writes = state.sorted().filter((write) => write.type === type);
  const entries = state.entriesOf(type);
  if (writes.length === 0) return entries;
  const shown = new Map(entries);
  for (const write of writes) {
    const id = state.idOf(write.id) ?? write.id;
    const before = shown.get(id) ?? (write.op === 'create' ? blank(state, write) : undefined);
    if (!before) continue; // it is gone, or the user may not see it any more
    if (write.op === 'delete') shown.delete(id);
    else shown.set(id, write.entry ?? written({ ...before, id }, write, state.idOf));
  }
  return shown;
}

/** Returns the entry that a create makes, before its values are set: what the service sets itself, and null for all else. */
function blank({ schema }: Overlaid, { type, id, madeAt, locale }: QueuedWrite): Entry {
  const now: Readonly<Record<string, unknown>> = { createdAt: madeAt, updatedAt: madeAt, publishedAt: madeAt, locale };
  const values = mapValues(schema?.[type] ?? {}, (kind, name) => (kind === 'many' ? [] : (now[name] ?? null)));
  return { ...values, id };
}

function written(entry: Entry, { set = {}, increment = {}, add = {}, remove = {} }: QueuedWrite, idOf: IdOf): Entry {
  const list = (name: string): readonly Id[] => (entry[name] ?? []) as readonly Id[];
  return {
    ...entry,
    ...mapValues(set, ({ to }) => renamed(to, idOf)),
    ...mapValues(increment, (count, name) => Number(entry[name] ?? 0) + count),
    ...mapValues(add, (ids, name) => [...new Set([...list(name), ...idsOf(ids, idOf)])]),
    ...mapValues(remove, (ids, name) => list(name).filter((id) => !idsOf(ids, idOf).includes(id))),
  };
}
