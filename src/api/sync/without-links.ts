import { matchesAll, oneOf } from '#store/form/matches.js';
import { compileCondition, type RelatedCondition } from '#store/read/compile-condition.js';
import { linkedByMeeting, resolveRelated } from '#store/read/resolve-related.js';
import type { Database } from '#store/send/database.js';
import { formerStates } from '#store/stores/change-log.js';
import { findStored } from '#store/stored.js';
import { allOf, anyOf, foldCondition } from '#model/query/conditions.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import { always, type Condition } from '#model/query/plan.js';
import { storedIds } from '#model/schema/stored-values.js';
import { isRecord, type Values } from '#base/values.js';
import { decidingFields } from './depends-on.js';
import { resetError } from './token.js';

/** The fields of a document at some time. */
export type State = Values & { readonly _id: unknown };

/** Maximum number of different former states of related entries that are read. */
const mostStates = 10_000;

interface Replacing {
  /** The documents for which the condition is needed. */
  readonly states: readonly State[];
  readonly database: Database;
  /** The number of the last change that the client has read. */
  readonly after: number;
  /** The path of the elements that the condition is about, with a dot at its end. */
  readonly prefix?: string;
}

/**
 * Returns a condition with conditions on stored ids in place of those on related entries. A related entry counts if it meets its
 * condition now, or did so since a change. So no state is missed that met the whole condition since then. Throws a SyncResetError if
 * there were too many of these states, or one of them is not stored.
 */
export async function withoutLinks(condition: Condition, replacing: Replacing): Promise<Condition> {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = await Promise.all(condition.conditions.map((part) => withoutLinks(part, replacing)));
      return condition.kind === 'and' ? allOf(parts) : anyOf(parts);
    }
    case 'element': {
      const prefix = `${replacing.prefix ?? ''}${condition.path}.`;
      return { ...condition, condition: await withoutLinks(condition.condition, { ...replacing, prefix }) };
    }
    case 'related':
      return withoutLink(condition, replacing);
    case 'comparison':
    case 'search':
      return condition;
  }
}

async function withoutLink(related: RelatedCondition, replacing: Replacing): Promise<Condition> {
  const { link, path, orMissing } = related;
  const { states, database, prefix = '' } = replacing;
  if (link.storage.kind === 'own') {
    const names = `${prefix}${path}`.split('.');
    const operand = await metBy(related, [...new Set(states.flatMap((state) => idsAt(state, names)))], replacing);
    const ofLink = { kind: 'comparison', path, stored: 'link', denied: false } as const;
    const met: Condition = { ...ofLink, comparator: 'in', operand };
    return orMissing ? anyOf([met, { ...ofLink, comparator: 'null', operand: true }]) : met;
  }
  // a change of other entries that lead here is a reset, so the present ones decide
  if (link.storage.kind !== 'inverse' || orMissing) return always;
  const ids = states.map(({ _id }) => _id);
  const operand = await linkedByMeeting(related, ids, database);
  return { kind: 'comparison', path: '_id', stored: 'number', comparator: 'in', operand, denied: false };
}

/** Returns those of the ids whose entries meet a condition on related entries, or have met it since a change. */
async function metBy(
  { target, condition }: RelatedCondition,
  ids: readonly number[],
  { database, after }: Omit<Replacing, 'states'>,
): Promise<readonly unknown[]> {
  if (ids.length === 0 || isAboutId(condition)) return ids.filter((_id) => meetsCondition(condition, { _id }));
  const match = compileCondition(condition, await resolveRelated(condition, database));
  const present = await findStored(database, target.collection, {
    match: matchesAll({ _id: oneOf(ids) }, match),
    fields: ['_id'],
  });
  const met = new Set(present.map(({ _id }): unknown => _id));
  const others = ids.filter((id) => !met.has(id));
  const fields = decidingFields(target, condition).get(target.collection) ?? [];
  const changes = await formerStates(database, target.collection, { ids: others, fields, after, limit: mostStates + 1 });
  if (changes.length > mostStates) throw resetError('Related entries had many former values');
  if (changes.some(({ former }) => former === null)) throw resetError('It is not stored what related entries were like');
  const states = changes.map(({ id, former }): State => ({ ...former, _id: id }));
  const local = await withoutLinks(condition, { states, database, after });
  for (const state of states) if (meetsCondition(local, state)) met.add(state._id);
  return [...met];
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
