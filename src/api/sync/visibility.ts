import { isRecord, type Values } from '#base/values.js';
import { allOf, always, anyOf, complementOf, conjunctsOf, foldCondition, orNull, termsOf } from '#model/query/conditions.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import type { Condition, Plan } from '#model/query/plan.js';
import { storedIds } from '#model/schema/stored-values.js';
import { is, matchesAll } from '#store/form/matches.js';
import { linkedByMeeting, matchOf } from '#store/read/read-entry.js';
import type { Database } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { type FieldsOf, type StoredChange, syncLog } from '#store/stores/change-log.js';
import { decidingFields } from './dependencies.js';
import { resetError } from './token.js';

/** Which entries a caller may know of, whatever the filter of the query. */
export interface Visibility {
  /** The collection of the entries. */
  readonly collection: string;
  /** The publication state, the locale and the row rule; null if all entries meet them. */
  readonly condition: Condition | null;
  /** The fields that decide, whose former values the log has. */
  readonly fields: FieldsOf;
}

/** Returns the visibility of a plan: its condition without the filter of the client. */
export function visibilityOf({ type, scope, condition: all }: Plan): Visibility {
  const condition = orNull(allOf([...conjunctsOf(scope), ...conjunctsOf(all).filter(isOfRule)]));
  return { collection: type.collection, condition, fields: condition === null ? new Map() : decidingFields(type, condition) };
}

const isOfRule = (condition: Condition): boolean => termsOf(condition).every((term) => 'ofRule' in term && term.ofRule);

/** The changes that a client reads. */
interface LogPart {
  readonly changes: readonly StoredChange[];
  /** The number of the last change before them. */
  readonly after: number;
  /** A database whose reads see all that the log contains. */
  readonly database: Database;
}

/**
 * Returns those of the entries, none of which the caller sees now, that a client may have a copy of: the caller could see them in one of
 * the states that they had since the client asked last. Throws a SyncResetError if such a state is not stored.
 */
export async function possibleCopies(
  ids: readonly number[],
  visibility: Visibility,
  { changes, after, database }: LogPart,
): Promise<ReadonlySet<unknown>> {
  const { collection, condition, fields } = visibility;
  if (condition === null || ids.length === 0) return new Set(ids);
  // the present state too: an entry may be out of the filter, or hidden, only because one that it links has changed
  const names = ['_id', ...(fields.get(collection) ?? [])];
  const present = await findStored(database, collection, { match: { _id: is.oneOf(ids) }, fields: names });
  const states = [...statesBefore(ids, visibility, changes), ...(present as readonly State[])];
  const local = await localCondition(condition, { states, after, database });
  return new Set(states.filter((state) => meetsCondition(local, state)).map(({ _id }) => _id));
}

/** Returns the states of entries before those changes that may have shown or hidden them. The others have left them as they were. */
function statesBefore(ids: readonly unknown[], visibility: Visibility, changes: readonly StoredChange[]): State[] {
  const { collection, fields } = visibility;
  const names = fields.get(collection) ?? new Set<string>();
  const all = new Set(ids);
  return changes.flatMap((change) => {
    if (change.collection !== collection || !all.has(change.id) || !hasState(change, names)) return [];
    if (names.size > 0 && !change.former) throw resetError('It is not stored who could see an entry that is gone');
    return [{ ...change.former, _id: change.id }];
  });
}

const hasState = (change: StoredChange, fields: ReadonlySet<string>): boolean =>
  change.kind !== 'insert' && syncLog.touches(change, fields);

/** Returns whether the log lacks former values that decide what is visible, because they were not recorded when a change was written. */
export const lacksFields = (changes: readonly StoredChange[], { fields }: Visibility): boolean =>
  changes.some((change) => {
    const { former, collection } = change;
    const names = fields.get(collection ?? '');
    if (names === undefined || former === null || !hasState(change, names)) return false;
    return [...names].some((name) => !(name in (former ?? {})));
  });

/** The fields of a document at some time. */
type State = Values & { readonly _id: unknown };

interface LocalInput extends Omit<LogPart, 'changes'> {
  /** The documents for which the condition is needed. */
  readonly states: readonly State[];
  /** The path of the elements that the condition is about, with a dot at its end. */
  readonly prefix?: string;
  /** Whether the condition is denied: no state may meet what replaces it that did not always meet the condition. */
  readonly isDenied?: boolean;
}

/**
 * Returns a condition with conditions on stored ids in place of those on related entries. A related entry counts if it meets its
 * condition now, or did so since a change; where the condition is denied, if it does so now and did in all states since then. So no
 * state is missed that met the whole condition. Throws a SyncResetError if there were too many of these states, one of them is not
 * stored, or the ids are not.
 */
async function localCondition(condition: Condition, input: LocalInput): Promise<Condition> {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = await Promise.all(condition.conditions.map((part) => localCondition(part, input)));
      return condition.kind === 'and' ? allOf(parts) : anyOf(parts);
    }
    case 'not':
      return complementOf(await localCondition(condition.condition, { ...input, isDenied: input.isDenied !== true }));
    case 'element': {
      const prefix = `${input.prefix ?? ''}${condition.path}.`;
      return { ...condition, condition: await localCondition(condition.condition, { ...input, prefix }) };
    }
    case 'related':
      return linkCondition(condition, input);
    case 'comparison':
    case 'search':
    case 'fallback':
      return condition;
  }
}

async function linkCondition(related: RelatedCondition, input: LocalInput): Promise<Condition> {
  const { link, path, orMissing } = related;
  const { states, database, prefix = '', isDenied = false } = input;
  if (link.storage.kind === 'own') {
    const names = `${prefix}${path}`.split('.');
    const operand = await idsMeeting(related, [...new Set(states.flatMap((state) => idsAt(state, names)))], input);
    const comparison = { kind: 'comparison', path, stored: 'link', denied: false } as const;
    const isOneOf: Condition = { ...comparison, comparator: 'in', operand };
    return orMissing ? anyOf([isOneOf, { ...comparison, comparator: 'null', operand: true }]) : isOneOf;
  }
  // a change of other entries that lead here is a reset, so the present ones decide
  if (link.storage.kind !== 'inverse' || orMissing) {
    if (isDenied) throw resetError('It is not known which entries a rule has hidden');
    return always;
  }
  const ids = states.map(({ _id }) => _id);
  const operand = await linkedByMeeting(related, ids, database);
  return { kind: 'comparison', path: '_id', stored: 'number', comparator: 'in', operand, denied: false };
}

type RelatedCondition = Extract<Condition, { kind: 'related' }>;

/** Maximum number of different former states of related entries that are read. */
const maxStates = 10_000;

/**
 * Returns those of the ids whose entries meet a condition on related entries, or have met it since a change; if it is denied, those
 * whose entries meet it and always have since then.
 */
async function idsMeeting(
  { target, condition }: RelatedCondition,
  ids: readonly number[],
  { database, after, isDenied = false }: LocalInput,
): Promise<readonly unknown[]> {
  if (ids.length === 0 || isAboutId(condition)) return ids.filter((_id) => meetsCondition(condition, { _id }));
  const match = matchesAll({ _id: is.oneOf(ids) }, await matchOf(condition, database));
  const present = await findStored(database, target.collection, { match, fields: ['_id'] });
  const meeting = new Set(present.map(({ _id }): unknown => _id));
  const unsure = ids.filter((id) => meeting.has(id) === isDenied);
  const fields = decidingFields(target, condition).get(target.collection) ?? [];
  const changes = await syncLog.formerStates(database, target.collection, { ids: unsure, fields, after, limit: maxStates + 1 });
  if (changes.length > maxStates) throw resetError('Related entries had many former values');
  if (changes.some(({ former }) => former === null)) throw resetError('It is not stored what related entries were like');
  const states = changes.map(({ id, former }): State => ({ ...former, _id: id }));
  const local = await localCondition(condition, { states, database, after, isDenied });
  for (const state of states) {
    const isMet = meetsCondition(local, state);
    if (isMet && !isDenied) meeting.add(state._id);
    if (!isMet && isDenied) meeting.delete(state._id);
  }
  return [...meeting];
}

const isAboutId = (condition: Condition): boolean =>
  foldCondition<boolean>(condition, (one, parts) =>
    one.kind === 'comparison' ? one.path === '_id' : 'conditions' in one && parts.every(Boolean),
  );

/** Returns the ids at a path, also in lists. */
function idsAt(value: unknown, [name, ...names]: readonly string[]): readonly number[] {
  if (name === undefined) return storedIds(value);
  if (Array.isArray(value)) return value.flatMap((item) => idsAt(item, [name, ...names]));
  return isRecord(value) ? idsAt(value[name], names) : [];
}
