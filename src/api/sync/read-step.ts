import type { ContentContext } from '#content/content-context.js';
import type { Loaded } from '#store/form/loaded.js';
import { readPage } from '#store/read/read-page.js';
import {
  changesAfter,
  idsWith,
  type LogState,
  markOf,
  positionOf,
  seeingLog,
  type StoredChange,
  touches,
} from '#store/stores/change-log.js';
import { allOf } from '#model/query/conditions.js';
import type { Condition, Plan } from '#model/query/plan.js';
import type { Dependencies } from './depends-on.js';
import { lacksFields, possiblyHeld } from './possibly-held.js';
import { type HeldEntry, presentEntries } from './present.js';
import type { Shape } from './shape.js';
import { type Position, resetError } from './token.js';

/** What a client does with an entry. */
export type SyncChange = ({ readonly op: 'upsert' } & HeldEntry) | { readonly op: 'delete'; readonly id: number };

/** One step of a client from a position to the next one. */
export interface Step {
  readonly changes: readonly SyncChange[];
  readonly next: Position;
  /** Whether there is more to read now. */
  readonly more: boolean;
  /** The place of the last write that the client knows of, as `Sync-Position` names it; null if there is more to read. */
  readonly position: string | null;
}

/** Returns the place of a client that has read the log. */
const placeIn = (state: LogState, more: boolean): string | null => (more ? null : String(positionOf(state)));

/** What a step is read with: the rights of a caller, and the log as it was before. */
interface StepContext {
  readonly shape: Shape;
  readonly content: ContentContext;
  readonly state: LogState;
  /** Maximum number of entries of a first load, or of changes. */
  readonly size: number;
}

/** The position before the first entry. */
export const firstPosition = ({ seq, mark }: LogState): Position => ({ seq, mark, after: Number.MIN_SAFE_INTEGER });

/** Maximum number of entries that are read again because they link a changed entry. More are a reset. */
const mostLinking = 1_000;

/**
 * Reads the next step. In a first load, entries are read in the order of their ids; the log from its beginning follows. Throws a
 * SyncResetError if the log does not continue the position, or does not say which entries have changed.
 */
export async function readStep(position: Position, context: StepContext): Promise<Step> {
  if (position.after !== null) return readFirst(position, position.after, context);
  const { content, state, size } = context;
  const changes = await changesAfter(content.store.database, position, { state, limit: size });
  if (changes === null) throw resetError('The changes since the token are no longer stored');
  return readChanges(changes, position, context);
}

async function readFirst({ seq, mark }: Position, after: number, context: StepContext): Promise<Step> {
  const { size, state } = context;
  const entries = await readWhere(idIs('gt', after), { ...context, size: size + 1 });
  const page = entries.slice(0, size);
  const isComplete = entries.length <= size;
  const changes = page.map((entry): SyncChange => ({ op: 'upsert', ...entry }));
  const last = page.at(-1)?.id ?? after;
  const more = !isComplete || state.seq > seq;
  return { changes, next: { seq, mark, after: isComplete ? null : last }, more, position: placeIn(state, more) };
}

/** Reads the current state of the entries that changes may concern. Those that are not found are deleted. */
export async function readChanges(changes: readonly StoredChange[], from: Position, context: StepContext): Promise<Step> {
  const { shape, state } = context;
  const last = changes.at(-1);
  const seq = last?._id ?? from.seq;

  const next = { seq, mark: last === undefined ? from.mark : markOf(last.token), after: null };
  if (changes.some((change) => isUnclear(change, shape.dependencies)))
    throw resetError('A related type or collection has changed');
  if (lacksFields(changes, shape.visibility)) throw resetError('It is not stored who could see the changed entries');
  const own = changes.filter(({ collection }) => collection === shape.dependencies.collection);
  const linking = await linkingIds(changes, context);
  const ids = [...new Set([...own.map(({ id }) => id), ...linking])].filter((id): id is number => typeof id === 'number');
  const found = ids.length === 0 ? [] : await readWhere(idIs('in', ids), { ...context, size: ids.length });
  const byId = new Map(found.map((entry) => [entry.id, entry]));
  const gone = ids.filter((id) => !byId.has(id) && (linking.has(id) || mayHaveBeenFound(own, id, shape.dependencies)));
  const held = await possiblyHeld(gone, { ...context, changes, after: from.seq });
  const answered = ids.flatMap((id): SyncChange[] => {
    const entry = byId.get(id);
    return entry !== undefined ? [{ op: 'upsert', ...entry }] : held.has(id) ? [{ op: 'delete', id }] : [];
  });
  const more = state.seq > seq;
  return { changes: answered, next, more, position: placeIn(state, more) };
}

/** Returns whether it is not known which entries a change concerns. */
const isUnclear = (change: StoredChange, { collections, far }: Dependencies): boolean => {
  if (change.kind === 'reset') return change.collection === null || collections.has(change.collection);
  const fields = far.get(change.collection ?? '');
  return fields !== undefined && touches(change, fields);
};

/** Returns whether a log concerns a shape. */
export const concerns = (changes: readonly StoredChange[], { collections }: Dependencies): boolean =>
  changes.some(({ collection }) => collection === null || collections.has(collection));

/**
 * Returns whether an entry that is not found now may have been found before. If no change of it could decide about that, it was as
 * invisible before.
 */
function mayHaveBeenFound(own: readonly StoredChange[], id: unknown, { own: fields }: Dependencies): boolean {
  const changes = own.filter((change) => change.id === id);
  const deciding = changes.filter((change) => touches(change, fields));
  const [first] = deciding;
  const isNew = first === changes[0] && first?.kind === 'insert' && deciding.length === 1;
  return deciding.length > 0 && !isNew;
}

/** Returns the ids of the entries that link changed entries. Throws a SyncResetError if there are too many. */
async function linkingIds(
  changes: readonly StoredChange[],
  { shape, content, state }: StepContext,
): Promise<ReadonlySet<unknown>> {
  const ids = new Set<unknown>();
  const database = seeingLog(content.store.database, state);
  for (const { path, collection, fields } of shape.dependencies.links) {
    const values = changes.filter((change) => change.collection === collection && touches(change, fields)).map(({ id }) => id);
    if (values.length === 0) continue;
    const found = await idsWith(database, shape.plan.type.collection, { path, values, limit: mostLinking + 1 - ids.size });
    for (const id of found) ids.add(id);
    if (ids.size > mostLinking) throw resetError('Many entries link an entry that has changed');
  }
  return ids;
}

const idIs = (comparator: 'gt' | 'in', operand: unknown): Condition => ({
  kind: 'comparison',
  path: '_id',
  stored: 'number',
  comparator,
  operand,
  denied: false,
});

/** Reads the entries of a shape that meet a further condition, as they are now or later than the log. */
async function readWhere(further: Condition, { shape, content, state, size }: StepContext): Promise<HeldEntry[]> {
  const { plan, query } = shape;
  const condition = allOf([...(plan.condition === null ? [] : [plan.condition]), further]);
  const window = { skip: 0, limit: size };
  const narrowed: Plan = { ...plan, condition, isWhole: false, sort: [byId], window, withTotal: false };
  const store = { ...content.store, database: seeingLog(content.store.database, state) };
  const context = { ...content, store };
  const code = content.hooks?.reads(plan.type.uid) ?? null;
  const entries: readonly Loaded[] =
    code === null
      ? (await readPage(narrowed, { registry: content.bind.registry, ...store })).entries
      : (await code.many({ query, plan: narrowed, id: null }, context)).entries;
  return presentEntries(entries, content.bind.budget);
}

const byId = { links: [], path: '_id', lists: [], order: 1 } as const;
