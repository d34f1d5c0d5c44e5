import type { Budget } from '#base/limits/budget.js';
import type { ContentContext } from '#content/content-context.js';
import { createShaper, type Presentation, type Shaped } from '#content/shape-values.js';
import { allOf } from '#model/query/conditions.js';
import type { Condition, Plan } from '#model/query/plan.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { is } from '#store/form/matches.js';
import { readPage } from '#store/read/read-page.js';
import type { Database } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { type LogPlace, type LogState, type StoredChange, syncLog } from '#store/stores/change-log.js';
import type { Dependencies } from './dependencies.js';
import type { EntryCopy, Shape } from './query.js';
import { type Position, resetError } from './token.js';
import { lacksFields, possibleCopies } from './visibility.js';

/** What a client does with an entry. */
export type SyncChange = ({ readonly op: 'upsert' } & EntryCopy) | { readonly op: 'delete'; readonly id: number };

/** One step of a client from a position to the next one. */
export interface Step {
  readonly changes: readonly SyncChange[];
  readonly next: Position;
  /** Whether there is more to read now. */
  readonly more: boolean;
  /** The place of the last write that the client knows of, as `Sync-Position` names it; null if there is more to read. */
  readonly position: string | null;
}

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

/**
 * Reads the next step. In a first load, entries are read in the order of their ids; the log from its beginning follows. Throws a
 * SyncResetError if the log does not continue the position, or does not say which entries have changed.
 */
export async function readStep(position: Position, context: StepContext): Promise<Step> {
  if (position.after !== null) return readFirstLoad(position, position.after, context);
  return readChanges(await readLog(position, context.content.store.database, context), position, context);
}

/** Returns the changes after a place of the log, at most `size`. Throws a SyncResetError if the log does not continue it. */
export async function readLog(
  place: LogPlace,
  database: Database,
  { state, size }: Pick<StepContext, 'state' | 'size'>,
): Promise<readonly StoredChange[]> {
  const changes = await syncLog.changesAfter(database, place, { state, limit: size });
  if (changes === null) throw resetError('The changes since the token are no longer stored');
  return changes;
}

async function readFirstLoad({ seq, mark }: Position, after: number, context: StepContext): Promise<Step> {
  const { size, state } = context;
  const entries = await readEntries(idCondition('gt', after), { ...context, size: size + 1 });
  const page = entries.slice(0, size);
  const changes = page.map((entry): SyncChange => ({ op: 'upsert', ...entry }));
  const last = entries.length > size ? (page.at(-1)?.id ?? after) : null;
  return stepTo({ seq, mark, after: last }, changes, state);
}

/** Reads the current state of the entries that changes may concern. Those that are not found are deleted. */
export async function readChanges(log: readonly StoredChange[], from: Position, context: StepContext): Promise<Step> {
  const { shape, content, state } = context;
  const { dependencies, visibility } = shape;
  if (log.some((change) => isUnclear(change, dependencies))) throw resetError('A related type or collection has changed');
  if (lacksFields(log, visibility)) throw resetError('It is not stored who could see the changed entries');
  const database = syncLog.seeing(content.store.database, state);
  const own = log.filter(({ collection }) => collection === dependencies.collection);
  const linking = await linkingIds(log, shape, database);
  const ids = [...new Set([...own.map(({ id }) => id), ...linking])].filter((id): id is number => typeof id === 'number');
  const entries = ids.length === 0 ? [] : await readEntries(idCondition('in', ids), { ...context, size: ids.length });
  const entryById = new Map(entries.map((entry) => [entry.id, entry]));
  const gone = ids.filter((id) => !entryById.has(id) && (linking.has(id) || mayHaveMatched(own, id, dependencies)));
  const copies = await possibleCopies(gone, visibility, { changes: log, after: from.seq, database });
  const changes = ids.flatMap((id): SyncChange[] => {
    const entry = entryById.get(id);
    return entry !== undefined ? [{ op: 'upsert', ...entry }] : copies.has(id) ? [{ op: 'delete', id }] : [];
  });
  return stepTo(positionAfter(log) ?? { ...from, after: null }, changes, state);
}

/** Returns the position after changes; null if there are none. */
export function positionAfter(changes: readonly StoredChange[]): Position | null {
  const last = changes.at(-1);
  return last === undefined ? null : { seq: last._id, mark: syncLog.markOf(last.token), after: null };
}

function stepTo(next: Position, changes: readonly SyncChange[], state: LogState): Step {
  const more = next.after !== null || state.seq > next.seq;
  return { changes, next, more, position: more ? null : String(syncLog.positionOf(state)) };
}

/** Returns whether it is not known which entries a change concerns. */
const isUnclear = (change: StoredChange, { collections, far }: Dependencies): boolean => {
  if (change.kind === 'reset') return change.collection === null || collections.has(change.collection);
  const fields = far.get(change.collection ?? '');
  return fields !== undefined && syncLog.touches(change, fields);
};

/** Returns whether changes concern a shape. */
export const concerns = (changes: readonly StoredChange[], { dependencies: { collections } }: Shape): boolean =>
  changes.some(({ collection }) => collection === null || collections.has(collection));

/**
 * Returns whether an entry that is not found now may have been found before. If no change of it could decide about that, it was as
 * invisible before.
 */
function mayHaveMatched(own: readonly StoredChange[], id: unknown, { own: fields }: Dependencies): boolean {
  const changes = own.filter((change) => change.id === id);
  const deciding = changes.filter((change) => syncLog.touches(change, fields));
  const [first] = deciding;
  const isNew = first === changes[0] && first?.kind === 'insert' && deciding.length === 1;
  return deciding.length > 0 && !isNew;
}

/** Maximum number of entries that are read again because they link a changed entry. More are a reset. */
const maxLinking = 1_000;

/** Returns the ids of the entries that link changed entries. Throws a SyncResetError if there are too many. */
async function linkingIds(
  changes: readonly StoredChange[],
  { plan, dependencies }: Shape,
  database: Database,
): Promise<ReadonlySet<unknown>> {
  const ids = new Set<unknown>();
  for (const { path, collection, fields } of dependencies.links) {
    const values = changes
      .filter((change) => change.collection === collection && syncLog.touches(change, fields))
      .map(({ id }) => id);
    if (values.length === 0) continue;
    const wanted = { match: { [path]: is.oneOf(values) }, fields: ['_id'], limit: maxLinking + 1 - ids.size };
    for (const { _id } of await findStored(database, plan.type.collection, wanted)) ids.add(_id);
    if (ids.size > maxLinking) throw resetError('Many entries link an entry that has changed');
  }
  return ids;
}

const idCondition = (comparator: 'gt' | 'in', operand: unknown): Condition => ({
  kind: 'comparison',
  path: '_id',
  stored: 'number',
  comparator,
  operand,
  denied: false,
});

/** Reads the entries of a shape that meet a further condition, as they are now or later than the log. */
async function readEntries(further: Condition, { shape, content, state, size }: StepContext): Promise<EntryCopy[]> {
  const { plan, query } = shape;
  const condition = allOf([...(plan.condition === null ? [] : [plan.condition]), further]);
  const window = { skip: 0, limit: size };
  const narrowed: Plan = { ...plan, condition, isWhole: false, sort: [byId], window, withTotal: false };
  const store = { ...content.store, database: syncLog.seeing(content.store.database, state) };
  const context = { ...content, store };
  const code = content.hooks?.reads(plan.type.uid) ?? null;
  const entries: readonly LoadedEntry[] =
    code === null
      ? (await readPage(narrowed, { registry: content.bind.registry, ...store })).entries
      : (await code.many({ query, plan: narrowed, id: null, further }, context)).entries;
  return shape.form?.copiesOf(entries, content) ?? copiesOf(entries, content.bind.budget);
}

const byId = { links: [], path: '_id', lists: [], order: 1 } as const;

/** Related entries are presented by id. As in lists, no files are null. */
const presentation: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_entry, values) => values,
  one: (entry) => entry,
  many: (entries, { kind }) => (entries.length === 0 && kind === 'media' ? null : entries),
  count: (count) => count,
  targets: (targets, { many }) => (many ? targets : (targets[0] ?? null)),
  isAnswer: true,
};

/** Returns entries as clients keep them. Throws a ValidationError if they exceed the budget. */
export function copiesOf(entries: readonly LoadedEntry[], budget: Budget): EntryCopy[] {
  const shape = createShaper(presentation, budget);
  return entries.map((entry) => {
    const { id, ...attributes } = shape(entry);
    return { id: Number(id), attributes };
  });
}
