import type { ContentContext } from '#content/content-context.js';
import { oneOf } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { type LogState, seeingLog, type StoredChange, touches } from '#store/stores/change-log.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import type { Shape } from './shape.js';
import { resetError } from './token.js';
import type { Visibility } from './visibility.js';
import { type State, withoutLinks } from './without-links.js';

interface StepChanges {
  readonly shape: Shape;
  readonly content: ContentContext;
  readonly state: LogState;
  /** The number of the last change that the client has read. */
  readonly after: number;
  /** The changes since then. */
  readonly changes: readonly StoredChange[];
}

/**
 * Returns those of the entries, none of which the caller sees now, that a client may have a copy of: the caller could see them in one of
 * the states that they had since the client asked last. Throws a SyncResetError if such a state is not stored.
 */
export async function possiblyHeld(ids: readonly number[], step: StepChanges): Promise<ReadonlySet<unknown>> {
  const { shape, content } = step;
  const { condition, fields } = shape.visibility;
  if (condition === null || ids.length === 0) return new Set(ids);
  const database = seeingLog(content.store.database, step.state);
  const { collection } = shape.plan.type;
  // the present state too: an entry may be out of the filter, or hidden, only because one that it links has changed
  const names = ['_id', ...(fields.get(collection) ?? [])];
  const present = await findStored(database, collection, { match: { _id: oneOf(ids) }, fields: names });
  const all = [...statesBefore(ids, step), ...(present as readonly State[])];
  const local = await withoutLinks(condition, { states: all, database, after: step.after });
  return new Set(all.filter((one) => meetsCondition(local, one)).map(({ _id }) => _id));
}

/** Returns the states of entries before those changes that may have shown or hidden them. The others have left them as they were. */
function statesBefore(ids: readonly number[], { shape, changes }: StepChanges): State[] {
  const { collection } = shape.plan.type;
  const fields = shape.visibility.fields.get(collection) ?? none;
  const wanted = new Set<unknown>(ids);
  return changes.flatMap((change) => {
    if (change.collection !== collection || !wanted.has(change.id) || !hasState(change, fields)) return [];
    if (fields.size > 0 && !change.former) throw resetError('It is not stored who could see an entry that is gone');
    return [{ ...change.former, _id: change.id }];
  });
}

const none: ReadonlySet<string> = new Set();

const hasState = (change: StoredChange, fields: ReadonlySet<string>): boolean =>
  change.kind !== 'insert' && touches(change, fields);

/** Returns whether the log lacks former values that decide what is visible, because they were not recorded when a change was written. */
export const lacksFields = (changes: readonly StoredChange[], { fields }: Visibility): boolean =>
  changes.some((change) => {
    const names = fields.get(change.collection ?? '');
    if (names === undefined || change.former === null || !hasState(change, names)) return false;
    return [...names].some((name) => !(name in (change.former ?? {})));
  });
