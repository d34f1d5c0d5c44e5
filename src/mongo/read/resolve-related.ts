import type { Document } from 'mongodb';
import { termsOf } from '../../query/conditions.js';
import type { Condition, ElementPlace } from '../../query/plan.js';
import {
  compileAny,
  compileCondition,
  compileOwnId,
  type ElementCondition,
  missing,
  nothing,
  type RelatedCondition,
  type Resolved,
} from './compile-condition.js';
import { compileJoined, joinFields, joinNone, joinSome, type Joins, joinStages } from './join-related.js';
import { groupNumber, isGroup } from '../form/layout.js';
import { asScanned, type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { atMost, collectIds, groupIds, readIds, readMatching, spend } from './collect-ids.js';
import { anyLeading, isServed } from './is-served.js';

/**
 * Resolves the conditions on related entries, and those on elements with a place. Each is replaced by the ids of the entries that
 * meet it, which one command reads; the innermost come first, independent ones run concurrently. A join would cost 10 µs for
 * every entry of the collection, whereas this only costs the matches. Conditions on nothing but the related id need no command if
 * the document stores the ids. If `joins` is given, conditions that more entries meet than the budget allows are joined instead.
 */
export async function resolveRelated(
  condition: Condition | null,
  database: Database,
  joins: Joins | null = null,
): Promise<Resolved> {
  const resolved: Resolving['resolved'] = new Map();
  if (condition === null) return resolved;
  const commands = countCommands(condition);
  if (commands > 0) database.budget.spend('relatedConditions', commands);
  await resolveInto(condition, { resolved, database, narrows: true, joins });
  return resolved;
}

/** Returns whether a condition needs commands of its own, so that its result may be long lists of ids. */
export const asksForRelated = (condition: Condition | null): boolean => condition !== null && countCommands(condition) > 0;

/**
 * Returns how many conditions need a command, without those of row rules, which clients do not pay for. Conditions within a
 * related condition are counted when that condition is resolved.
 */
const countCommands = (condition: Condition): number =>
  termsOf(condition).reduce((sum, term) => {
    if (term.kind === 'related') return sum + (term.ofRule || compileOwnId(term) !== null ? 0 : 1);
    return term.kind === 'element' ? sum + countCommands(term.condition) + (term.place === null || term.ofRule ? 0 : 1) : sum;
  }, 0);

type Joining = Pick<Resolving, 'database' | 'joins'>;

interface Resolving {
  readonly resolved: Map<Parameters<Resolved['get']>[0], Document>;
  readonly database: Database;
  /** Whether trigrams help. They do not if another branch of an `or` requires a scan of all entries. */
  readonly narrows: boolean;
  /** Null if conditions cannot be joined. */
  readonly joins: Joins | null;
}

async function resolveInto(condition: Condition, resolving: Resolving): Promise<void> {
  const { resolved, database, narrows } = resolving;
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const isOfUse = condition.kind === 'and' || isServed(condition, { ...anyLeading, searches: database.searches });
      const inner = { ...resolving, narrows: narrows && isOfUse };
      await Promise.all(condition.conditions.map((part) => resolveInto(part, inner)));
      return;
    }
    case 'element':
      await resolveInto(condition.condition, { ...resolving, joins: null });
      if (condition.place !== null) resolved.set(condition, await resolveElement(condition, condition.place, resolved, database));
      return;
    case 'related':
      resolved.set(condition, compileOwnId(condition) ?? (await resolveOne(condition, resolving)));
      return;
    case 'comparison': {
      const { trigrams, operand } = condition;
      const narrowed = narrows && trigrams !== undefined ? database.searches.narrow(trigrams, operand) : null;
      if (narrowed !== null) resolved.set(condition, narrowed);
      return;
    }
    case 'search': {
      const found = database.searches.find(condition);
      if (found === null) await resolveInto(condition.otherwise, resolving);
      else resolved.set(condition, found.match);
    }
  }
}

/**
 * Resolves a condition that `$elemMatch` cannot express. `$expr`, which converts numbers and JSON to text, works only on
 * documents. So each element is turned into a document, and the result is a condition on the ids of the entries, or outer
 * elements, that contain matching elements.
 */
async function resolveElement(
  { condition }: ElementCondition,
  { collection, lists }: ElementPlace,
  resolved: Resolved,
  database: Database,
): Promise<Document> {
  const elements = lists.flatMap((list, depth) => {
    const holder = { _holder: depth === 0 ? '$_id' : '$id' };
    const parts = { $match: { [list]: { $type: 'object', $not: { $type: 'array' } } } };
    return [{ $unwind: `$${list}` }, parts, { $replaceRoot: { newRoot: { $mergeObjects: [`$${list}`, holder] } } }];
  });
  const match = compileCondition(condition, resolved);
  const ids = await collectIds(collection, [...elements, { $match: match }, { $group: { _id: '$_holder' } }], database);
  return { [lists.length > 1 ? 'id' : '_id']: { $in: ids } };
}

async function resolveOne(condition: RelatedCondition, { database, joins }: Joining): Promise<Document> {
  const innerJoins: Joins | null = joins && [];
  const inner = await resolveRelated(condition.condition, database, innerJoins);
  const { match, before } = compileJoined(condition.condition, inner, innerJoins ?? []);
  const stages = [{ $match: before }, ...joinStages(innerJoins ?? [], match)];
  const [found, unlinked] = await Promise.all([
    resolvers[condition.link.storage.kind](condition, stages, { database, joins }),
    condition.orMissing ? resolveMissing(condition, { database, joins }) : null,
  ]);
  return unlinked === null ? found : compileAny([found, unlinked]);
}

type Resolver = (condition: RelatedCondition, stages: readonly Document[], context: Joining) => Promise<Document>;

const resolvers: Readonly<Record<RelatedCondition['link']['storage']['kind'], Resolver>> = {
  own: async (condition, stages, { database, joins }) => {
    const ids = await readMatching(condition.target.collection, stages, database);
    if (joins !== null && areTooMany(ids, database)) return joinSome(condition, stages, joins);
    return spend(ids, database).length === 0 ? nothing : { [condition.path]: { $in: ids } };
  },
  inverse: async (condition, stages, { database, joins }) => {
    const ids = await readIds(condition.target.collection, [...stages, ...distinctOwners(condition)], database);
    if (joins !== null && areTooMany(ids, database)) return joinSome(condition, stages, joins);
    return { _id: { $in: spend(ids, database) } };
  },
  localizations: resolveLocalizations,
  morph: () => Promise.resolve(nothing), // binding refuses conditions through polymorphic relations
};

const areTooMany = ({ length }: readonly unknown[], { budget }: Database): boolean => length > budget.left('idsResolved');

/** Returns the stages that list the ids of the entries that other entries are related with, each once. */
export const relatedIds = (condition: RelatedCondition): readonly Document[] =>
  condition.link.storage.kind === 'own' ? [groupIds] : [...distinctOwners(condition), groupIds];

/** Returns the stages that list the ids that the owners of a relation store, each once. An owner stores one or several. */
function distinctOwners(condition: RelatedCondition): Document[] {
  const field = `$${joinFields(condition).foreignField}`;
  return [{ $unwind: field }, { $group: { _id: field } }];
}

/** Returns a match for the entries without related entries. Related entries that a rule hides from the caller do not count. */
async function resolveMissing(condition: RelatedCondition, { database, joins }: Joining): Promise<Document> {
  const { link, path, target, visible } = condition;
  const { kind } = link.storage;
  if (kind === 'own' && visible === null) return missing(path);
  const seen = await matchVisible(condition, database);
  if (kind === 'localizations') return resolveLone(target.collection, seen, database);
  if (kind === 'morph') return nothing;
  const linked = kind === 'own' ? [] : [{ $match: { [link.storage.field]: { $gte: -Infinity } } }, ...distinctOwners(condition)];
  const ids = await readIds(target.collection, [...seen, ...linked], database);
  if (joins !== null && areTooMany(ids, database)) return joinNone(condition, seen, joins);
  return { [kind === 'own' ? path : '_id']: { $nin: spend(ids, database) } };
}

/** Returns the stage that keeps the related entries which the caller may see; no stage if there is no rule. */
export async function matchVisible({ visible }: RelatedCondition, database: Database): Promise<readonly Document[]> {
  return visible === null ? [] : [{ $match: compileCondition(visible, await resolveRelated(visible, database)) }];
}

/**
 * Returns a match for the entries that are alone in their group. It lists their ids, or the groups of all other entries,
 * whichever are fewer.
 */
async function resolveLone(collection: string, seen: readonly Document[], database: Database): Promise<Document> {
  const groups = [...seen, { $group: { _id: groupNumber, entries: { $sum: 1 }, first: { $first: '$_id' } } }];
  const count = { $group: { _id: { $eq: ['$entries', 1] }, groups: { $sum: 1 } } };
  const counts = await readAll(asScanned(database), { aggregate: collection, pipeline: [...groups, count] });
  const countOf = (isLone: boolean): number => Number(counts.find(({ _id }) => _id === isLone)?.['groups'] ?? 0);
  if (countOf(true) > countOf(false))
    return { _group: { $nin: await collectIds(collection, [...groups, { $match: { entries: { $gt: 1 } } }], database) } };
  const lone = [...groups, { $match: { entries: 1 } }, { $project: { _id: '$first' } }];
  return { _id: { $in: await collectIds(collection, lone, database) } };
}

/**
 * Returns a match for the entries with other entries in their group that match. If only one entry of a group matches, it is left
 * out itself, because it is not among its own localizations.
 */
async function resolveLocalizations(
  { target }: RelatedCondition,
  stages: readonly Document[],
  { database }: Joining,
): Promise<Document> {
  const { budget } = database;
  const limit = atMost(budget.left('idsResolved'));
  const pipeline = [...stages, ...limit, { $group: { _id: '$_group', ids: { $push: '$_id' } } }];
  const groups = await readAll(asScanned(database), { aggregate: target.collection, pipeline });
  const lists = groups.map(({ ids }) => ids as readonly unknown[]); // grouped into this array above
  budget.spend('idsResolved', lists.flat().length);
  return {
    _group: { $in: groups.map(({ _id }): unknown => _id).filter(isGroup) },
    _id: { $nin: lists.filter(({ length }) => length === 1).flat() },
  };
}
