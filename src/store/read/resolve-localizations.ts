import type { Document } from 'mongodb';
import { localeGroup } from '../form/layout.js';
import { asScanned } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { areTooMany, limitStage, collectIds } from './collect-ids.js';
import type { RelatedCondition } from './compile-condition.js';
import { type Joining, joinSome } from './join-related.js';

/**
 * Returns a match for the entries that are alone in their group. It lists their ids, or the groups of all other entries,
 * whichever are fewer. Returns null if these are more than the budget allows, and entries can be joined.
 */
export async function resolveLone(
  collection: string,
  visibleStages: readonly Document[],
  { database, joins }: Joining,
): Promise<Document | null> {
  const groups = [...visibleStages, { $group: { _id: localeGroup.number, entries: { $sum: 1 }, first: { $first: '$_id' } } }];
  const count = { $group: { _id: { $eq: ['$entries', 1] }, groups: { $sum: 1 } } };
  const counts = await readAll(asScanned(database), { aggregate: collection, pipeline: [...groups, count] });
  const countOf = (isLone: boolean): number => Number(counts.find(({ _id }) => _id === isLone)?.['groups'] ?? 0);
  if (joins !== null && Math.min(countOf(true), countOf(false)) > database.budget.remaining('idsResolved')) return null;
  if (countOf(true) > countOf(false))
    return { _group: { $nin: await collectIds(collection, [...groups, { $match: { entries: { $gt: 1 } } }], database) } };
  const lone = [...groups, { $match: { entries: 1 } }, { $project: { _id: '$first' } }];
  return { _id: { $in: await collectIds(collection, lone, database) } };
}

/**
 * Returns a match for the entries with other entries in their group that match. If only one entry of a group matches, it is left
 * out itself, because it is not among its own localizations.
 */
export async function resolveLocalizations(
  condition: RelatedCondition,
  stages: readonly Document[],
  { database, joins }: Joining,
): Promise<Document> {
  const { budget } = database;
  const limit = limitStage(budget.remaining('idsResolved'));
  const pipeline = [...stages, ...limit, { $group: { _id: '$_group', ids: { $push: '$_id' } } }];
  const groups = await readAll(asScanned(database), { aggregate: condition.target.collection, pipeline });
  const lists = groups.map(({ ids }) => ids as readonly unknown[]); // grouped into this array above
  if (joins !== null && areTooMany(lists.flat(), database)) return joinSome(condition, stages, joins);
  budget.spend('idsResolved', lists.flat().length);
  return {
    _group: { $in: groups.map(({ _id }): unknown => _id).filter(localeGroup.isNumber) },
    _id: { $nin: lists.filter(({ length }) => length === 1).flat() },
  };
}
