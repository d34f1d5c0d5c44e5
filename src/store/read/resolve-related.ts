import type { Document } from 'mongodb';
import type { Condition } from '#model/query/plan.js';
import {
  compileAny,
  compileOwnId,
  type ElementCondition,
  matchEmpty,
  nothing,
  type RelatedCondition,
  type ResolvedFilters,
} from './compile-condition.js';
import {
  compileJoinedCondition,
  joinElements,
  joinNone,
  type Joining,
  joinSome,
  type Joins,
  joinStages,
  metBy,
  type Resolution,
  type Resolutions,
} from './join-related.js';
import type { Database } from '../send/database.js';
import { noOverlayStage } from '../send/overlay.js';
import { areTooMany, distinctOwners, readHolders, readIds, readMatching, spend } from './collect-ids.js';
import { joinEarlier } from './join-earlier.js';
import { resolveLocalizations, resolveLone } from './resolve-localizations.js';
import { anyLeading, isServed } from './is-served.js';
import { countCommands, type KnownIds, noIds } from './related-commands.js';

/**
 * Resolves the conditions on related entries, and those on elements with a place. Each is replaced by the ids of the entries that
 * meet it, which one command reads; the innermost come first, independent ones run concurrently. A join would cost 10 µs for
 * every entry of the collection, whereas this only costs the matches. Conditions on nothing but the related id need no command if
 * the document stores the ids. If `joins` is given, conditions that more entries meet than the budget allows are joined instead.
 */
export async function resolveRelated(
  condition: Condition | null,
  database: Database,
  { joins = null, fallbacks = null, knownIds = noIds }: Partial<Pick<Resolving, 'joins' | 'fallbacks' | 'knownIds'>> = {},
): Promise<ResolvedFilters> {
  const resolved: Resolving['resolved'] = new Map();
  if (condition === null) return resolved;
  const commands = countCommands(condition, knownIds);
  if (commands > 0) database.budget.spend('relatedConditions', commands);
  await resolveInto(condition, { resolved, database, narrows: true, joins, fallbacks, knownIds });
  return resolved;
}

/**
 * Resolves a condition. Entries are joined if more than the budget allows meet it, and if they may have localizations in an earlier locale;
 * in a transaction only these are. Ids that are known are not read again.
 */
export async function resolveOrJoin(condition: Condition | null, database: Database, ids = noIds): Promise<Resolution> {
  const fallbacks: Joins = [];
  const joins = database.session === null ? fallbacks : null;
  return { resolved: await resolveRelated(condition, database, { joins, fallbacks, knownIds: ids }), joins: fallbacks };
}

/** Does the same for several conditions. */
export async function resolveConditions(conditions: readonly Condition[], database: Database): Promise<Resolutions> {
  return new Map(await Promise.all(conditions.map(async (one) => [one, await resolveOrJoin(one, database)] as const)));
}

/**
 * Returns the stages that keep the related entries which meet the condition on them. Those of a row rule are compared as they are stored,
 * so that no draft beside one of them lets the caller see further entries.
 */
export const relatedStages = async (
  related: Pick<RelatedCondition, 'condition' | 'ofRule'>,
  database: Database,
): Promise<readonly Document[]> => [...marksOf(related, database), ...(await stagesOf(related.condition, database))];

const marksOf = ({ ofRule }: Pick<RelatedCondition, 'ofRule'>, { overlay }: Database): readonly Document[] =>
  ofRule && overlay !== undefined ? [noOverlayStage] : [];

/** Returns the stages that keep the entries which meet a condition. */
export async function stagesOf(condition: Condition, database: Database): Promise<readonly Document[]> {
  const { before, joined } = metBy(condition, await resolveOrJoin(condition, database));
  return [{ $match: before }, ...joined];
}

interface Resolving extends Joining {
  readonly resolved: Map<Parameters<ResolvedFilters['get']>[0], Document>;
  /** Whether trigrams help. They do not if another branch of an `or` requires a scan of all entries. */
  readonly narrows: boolean;
  readonly knownIds: KnownIds;
  /** Where conditions on fallback locales add their joins; null if none are made. */
  readonly fallbacks: Joins | null;
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
    case 'not':
      return resolveInto(condition.condition, { ...resolving, narrows: false });
    case 'element':
      return resolveElement(condition, resolving);
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
      const textMatch = database.searches.find(condition);
      if (textMatch === null) await resolveInto(condition.otherwise, resolving);
      else resolved.set(condition, textMatch.match);
      return;
    }
    case 'fallback': {
      const { fallbacks } = resolving;
      if (fallbacks === null) throw new Error('a match cannot express a condition on fallback locales');
      resolved.set(condition, joinEarlier(condition, await matchVisibleEntries(condition, database), fallbacks));
    }
  }
}

/**
 * Resolves a condition on elements. If `$elemMatch` cannot express it, it becomes a condition on the ids of the entries, or outer
 * elements, that contain matching elements. If more related entries, or more of these, meet it than the budget allows, the elements are
 * joined.
 */
async function resolveElement(element: ElementCondition, resolving: Resolving): Promise<void> {
  const { resolved, database, joins } = resolving;
  const inner: Joins = [];
  await resolveInto(element.condition, { ...resolving, joins: joins && inner });
  const { match, before } = compileJoinedCondition(element.condition, resolved, inner);
  const isPlain = inner.length === 0;
  if (isPlain && element.place === null) return;
  const ids = isPlain && element.place !== null ? await readHolders(element.place, match, database) : null;
  if (joins !== null && (ids === null || areTooMany(ids, database)))
    resolved.set(element, joinElements(element, [{ $match: before }, ...joinStages(inner, match)], joins));
  else resolved.set(element, { [(element.place?.lists.length ?? 0) > 1 ? 'id' : '_id']: { $in: spend(ids ?? [], database) } });
}

async function resolveOne(condition: RelatedCondition, { database, joins, knownIds }: Resolving): Promise<Document> {
  const ids = knownIds.get(condition) ?? null;
  const isBroad = ids !== null && areTooMany(ids, database);
  if (ids !== null && (joins === null || !isBroad)) return matchIds(condition, spend(ids, database));
  const stages = await relatedStages(condition, database);
  if (joins !== null && isBroad) return joinSome(condition, stages, joins);
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
    return matchIds(condition, spend(ids, database));
  },
  inverse: async (condition, stages, { database, joins }) => {
    const ids = await readIds(condition.target.collection, [...stages, ...distinctOwners(condition)], database);
    if (joins !== null && areTooMany(ids, database)) return joinSome(condition, stages, joins);
    return matchIds(condition, spend(ids, database));
  },
  localizations: resolveLocalizations,
  morph: () => Promise.resolve(nothing), // binding refuses conditions through polymorphic relations
};

/** Returns a match for the entries that are linked with one of some ids. */
function matchIds({ link, path }: RelatedCondition, ids: readonly unknown[]): Document {
  if (ids.length === 0) return nothing;
  return { [link.storage.kind === 'own' ? path : '_id']: { $in: ids } };
}

/** Returns a match for the entries without related entries. Related entries that a rule hides from the caller do not count. */
async function resolveMissing(condition: RelatedCondition, { database, joins }: Joining): Promise<Document> {
  const { link, path, target, visible } = condition;
  const { kind } = link.storage;
  if (kind === 'own' && visible === null) return matchEmpty(path);
  const visibleStages = [...marksOf(condition, database), ...(await matchVisibleEntries(condition, database))];
  if (kind === 'localizations')
    return (
      (await resolveLone(target.collection, visibleStages, { database, joins })) ??
      joinNone(condition, visibleStages, joins ?? [])
    );
  if (kind === 'morph') return nothing;
  const linked = kind === 'own' ? [] : [{ $match: { [link.storage.field]: { $gte: -Infinity } } }, ...distinctOwners(condition)];
  const ids = await readIds(target.collection, [...visibleStages, ...linked], database);
  if (joins !== null && areTooMany(ids, database)) return joinNone(condition, visibleStages, joins);
  return { [kind === 'own' ? path : '_id']: { $nin: spend(ids, database) } };
}

/** Returns the stage that keeps the related entries which the caller may see; no stage if there is no rule. */
export async function matchVisibleEntries(
  { visible }: Pick<RelatedCondition, 'visible'>,
  database: Database,
): Promise<readonly Document[]> {
  return visible === null ? [] : stagesOf(visible, database);
}
