import type { Document } from 'mongodb';
import type { Condition, ElementPlace } from '../../query/plan.js';
import {
  compileAny,
  compileCondition,
  compileExpression,
  type ElementCondition,
  missing,
  nothing,
  type RelatedCondition,
  type Resolved,
  type Comparison,
} from './compile-condition.js';
import { asScanned, readAll, type Database } from '../database.js';
import { estimateSize } from './choose-index.js';
import { anyIndex, isServed } from './is-served.js';

/**
 * Resolves the conditions on related entries, and those on elements that have to be read, innermost first and side by side: each
 * becomes the ids of the entries that meet it, by one command. Joining first and filtering afterwards costs 10 us for every entry
 * of the collection; this costs the matches. Conditions on the related id alone need no command where the ids are in the document.
 */
export async function resolveRelated(condition: Condition | null, database: Database): Promise<Resolved> {
  const resolved: Resolving['resolved'] = new Map();
  if (condition === null) return resolved;
  const commands = countCommands(condition);
  if (commands > 0) database.budget.spend('relatedConditions', commands);
  await resolveInto(condition, { resolved, database, narrows: true });
  return resolved;
}

/** Returns whether a condition needs commands of its own, so that its result may be long lists of ids. */
export const asksForRelated = (condition: Condition | null): boolean => condition !== null && countCommands(condition) > 0;

/**
 * How many conditions of the client need a command; those of row rules are not theirs. Those within a related condition are counted when
 * that is resolved.
 */
function countCommands(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.reduce((sum, inner) => sum + countCommands(inner), 0);
    case 'element':
      return countCommands(condition.condition) + (condition.place === null || condition.ofRule ? 0 : 1);
    case 'related':
      return condition.ofRule || compileOwnId(condition) !== null ? 0 : 1;
    case 'comparison':
    case 'search':
      return 0;
  }
}

interface Resolving {
  readonly resolved: Map<Parameters<Resolved['get']>[0], Document>;
  readonly database: Database;
  /** Whether trigrams are of use: not where all entries have to be looked at because of another branch. */
  readonly narrows: boolean;
}

async function resolveInto(condition: Condition, resolving: Resolving): Promise<void> {
  const { resolved, database, narrows } = resolving;
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const isOfUse = condition.kind === 'and' || isServed(condition, anyIndex(database));
      const inner = { ...resolving, narrows: narrows && isOfUse };
      await Promise.all(condition.conditions.map((part) => resolveInto(part, inner)));
      return;
    }
    case 'element':
      await resolveInto(condition.condition, resolving);
      if (condition.place !== null) resolved.set(condition, await resolveElement(condition, condition.place, resolved, database));
      return;
    case 'related':
      resolved.set(condition, compileOwnId(condition) ?? (await resolveOne(condition, database)));
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
 * A condition that `$elemMatch` cannot express: `$expr`, which makes text of numbers and JSON, works on documents alone. So each
 * element becomes a document, and the condition becomes one on the ids of those that contain the elements: entries, or outer elements.
 */
async function resolveElement(
  { condition }: ElementCondition,
  { collection, lists }: ElementPlace,
  resolved: Resolved,
  database: Database,
): Promise<Document> {
  const elements = lists.flatMap((list, depth) => {
    const holder = { _holder: depth === 0 ? '$_id' : '$id' };
    return [{ $unwind: `$${list}` }, { $replaceRoot: { newRoot: { $mergeObjects: [`$${list}`, holder] } } }];
  });
  const match = compileCondition(condition, resolved);
  const ids = await collectIds(collection, [...elements, { $match: match }, { $group: { _id: '$_holder' } }], database);
  return { [lists.length > 1 ? 'id' : '_id']: { $in: ids } };
}

/** A condition on nothing but the related id, where the ids are stored here: a condition on the stored ids. */
function compileOwnId({ link, path, condition, orMissing, visible }: RelatedCondition): Document | null {
  if (link.storage.kind !== 'own' || (orMissing && visible !== null)) return null;
  const tests = condition.kind === 'or' ? condition.conditions : [condition];
  if (!tests.every(isIdTest)) return null;
  const parts = tests
    .filter((comparison) => !(comparison.comparator === 'null' && !comparison.denied))
    .map((comparison) => compileIdComparison(path, comparison, link.many));
  return compileAny(orMissing ? [...parts, missing(path)] : parts);
}

const isIdTest = (condition: Condition): condition is Comparison =>
  condition.kind === 'comparison' &&
  condition.path === '_id' &&
  ['eq', 'in', 'null', 'lt', 'lte', 'gt', 'gte', 'between'].includes(condition.comparator);

function compileIdComparison(path: string, comparison: Comparison, many: boolean): Document {
  const expression = compileExpression({ ...comparison, stored: 'link' });
  return { [path]: many && (comparison.denied || comparison.comparator === 'between') ? { $elemMatch: expression } : expression };
}

async function resolveOne(condition: RelatedCondition, database: Database): Promise<Document> {
  const inner = await resolveRelated(condition.condition, database);
  const match = compileCondition(condition.condition, inner);
  const [found, unlinked] = await Promise.all([
    resolvers[condition.link.storage.kind](condition, match, database),
    condition.orMissing ? resolveMissing(condition, database) : null,
  ]);
  return unlinked === null ? found : compileAny([found, unlinked]);
}

type Resolver = (condition: RelatedCondition, match: Document, database: Database) => Promise<Document>;

const resolvers: Readonly<Record<RelatedCondition['link']['storage']['kind'], Resolver>> = {
  own: async (condition, match, database) => {
    const ids = await collectMatching(condition.target.collection, match, database);
    return ids.length === 0 ? nothing : { [condition.path]: { $in: ids } };
  },
  inverse: async (condition, match, database) => {
    const ids = await collectIds(condition.target.collection, [{ $match: match }, ...distinctOwners(condition)], database);
    return { _id: { $in: ids } };
  },
  localizations: resolveLocalizations,
  morph: () => Promise.resolve(nothing), // binding refuses conditions through polymorphic relations
};

/** Reads the `_id`s that the stages lead to, in one document: as many as the budget has, and one to see that it is exceeded. */
export async function collectIds(
  collection: string,
  stages: readonly Document[],
  database: Database,
): Promise<readonly unknown[]> {
  const { budget } = database;
  const pipeline = [...stages, ...atMost(budget.left('idsResolved')), { $group: { _id: null, ids: { $push: '$_id' } } }];
  const [group] = await readAll(asScanned(database), { aggregate: collection, pipeline, cursor: {} });
  const ids = (group?.['ids'] ?? []) as readonly unknown[]; // the pipeline groups them into this array
  budget.spend('idsResolved', ids.length);
  return ids;
}

/** Entries of a small collection. `find` takes mongod 0.2 ms less than `$group` does; Node takes three times as long for thousands of ids. */
const smallSize = 1_000;

/** Reads the `_id`s of the entries that meet a condition, within the budget. */
export async function collectMatching(collection: string, match: Document, database: Database): Promise<readonly unknown[]> {
  const { session, budget } = database;
  if (session !== null || (await estimateSize(collection, database)) > smallSize)
    return collectIds(collection, [{ $match: match }], database);
  const left = budget.left('idsResolved');
  const limit = left === Infinity ? {} : { limit: left + 1 };
  const command = { find: collection, filter: match, projection: { _id: 1 }, batchSize: 2 * smallSize, ...limit };
  const entries = await readAll(asScanned(database), command);
  budget.spend('idsResolved', entries.length);
  return entries.map(({ _id }) => _id as unknown);
}

const atMost = (left: number): Document[] => (left === Infinity ? [] : [{ $limit: left + 1 }]);

/** Returns the ids on the other side, each once: the owner of a relation stores one or several. */
function distinctOwners({ link }: RelatedCondition): Document[] {
  const field = link.storage.kind === 'inverse' ? link.storage.field : '_id';
  return [{ $unwind: `$${field}` }, { $group: { _id: `$${field}` } }];
}

/** Matches the entries without related entries; those that a rule hides from the caller count as none. */
async function resolveMissing(condition: RelatedCondition, database: Database): Promise<Document> {
  const { link, path, target, visible } = condition;
  if (link.storage.kind === 'own' && visible === null) return missing(path);
  const seen = await matchVisible(condition, database);
  if (link.storage.kind === 'own') return { [path]: { $nin: await collectIds(target.collection, seen, database) } };
  if (link.storage.kind === 'localizations') return resolveLone(target.collection, seen, database);
  if (link.storage.kind !== 'inverse') return nothing;
  const linked = [...seen, { $match: { [link.storage.field]: { $gte: -Infinity } } }, ...distinctOwners(condition)];
  return { _id: { $nin: await collectIds(target.collection, linked, database) } };
}

/** Returns the stage that leaves the related entries which the caller may see; none if a rule hides none. */
export async function matchVisible({ visible }: RelatedCondition, database: Database): Promise<readonly Document[]> {
  return visible === null ? [] : [{ $match: compileCondition(visible, await resolveRelated(visible, database)) }];
}

/** The entries that are alone in their group, by their ids or by the groups of all others, whichever are fewer: mostly almost none. */
async function resolveLone(collection: string, seen: readonly Document[], database: Database): Promise<Document> {
  const groups = [...seen, { $group: { _id: '$_group', entries: { $sum: 1 }, first: { $first: '$_id' } } }];
  const count = { $group: { _id: { $eq: ['$entries', 1] }, groups: { $sum: 1 } } };
  const counts = await readAll(asScanned(database), { aggregate: collection, pipeline: [...groups, count], cursor: {} });
  const countOf = (isLone: boolean): number => Number(counts.find(({ _id }) => _id === isLone)?.['groups'] ?? 0);
  if (countOf(true) > countOf(false))
    return { _group: { $nin: await collectIds(collection, [...groups, { $match: { entries: { $gt: 1 } } }], database) } };
  const lone = [...groups, { $match: { entries: 1 } }, { $project: { _id: '$first' } }];
  return { _id: { $in: await collectIds(collection, lone, database) } };
}

/** An entry has the others of its group as related entries, not itself: where just one matches, that one is left out. */
async function resolveLocalizations({ target }: RelatedCondition, match: Document, database: Database): Promise<Document> {
  const { budget } = database;
  const limit = atMost(budget.left('idsResolved'));
  const pipeline = [{ $match: match }, ...limit, { $group: { _id: '$_group', ids: { $push: '$_id' } } }];
  const groups = await readAll(asScanned(database), { aggregate: target.collection, pipeline, cursor: {} });
  const lists = groups.map(({ ids }) => ids as readonly unknown[]); // grouped into this array above
  budget.spend('idsResolved', lists.flat().length);
  return {
    _group: { $in: groups.map(({ _id }) => _id as unknown) },
    _id: { $nin: lists.filter(({ length }) => length === 1).flat() },
  };
}
