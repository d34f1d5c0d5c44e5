import type { Document } from 'mongodb';
import { groupField, groupNumber, isGroup } from '../form/layout.js';
import { asScanned } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import type { FallbackCondition } from './compile-condition.js';
import { type Joining, joinName, type Joins } from './join-related.js';

/**
 * Returns a match for the entries without a localization in an earlier locale that meets the stages. Each entry is joined with these,
 * by the index of groups and locales. If entries cannot be joined, their groups are listed.
 */
export const resolveFallback = (
  condition: FallbackCondition,
  seen: readonly Document[],
  joining: Joining,
): Document | Promise<Document> =>
  joining.joins === null ? listGroups(condition, seen, joining) : joinEarlier(condition, seen, joining.joins);

/** A number that no group has. */
const noGroup = -1;

function joinEarlier(condition: FallbackCondition, seen: readonly Document[], joins: Joins): Document {
  const { type, locales } = condition;
  const as = joinName(joins);
  const localField = `${as}_group`;
  // an entry of the first locale needs no join, and one without a group would be joined with all that have none
  const isJoined = { $and: [{ $ne: ['$locale', locales[0]] }, { $isNumber: `$${groupField}` }] };
  const group = { [localField]: { $cond: [isJoined, `$${groupField}`, noGroup] } };
  const isEarlier = { $lt: [{ $indexOfArray: [locales, '$locale'] }, { $indexOfArray: [locales, '$$own'] }] };
  const before = { locale: { $in: locales.slice(0, -1) }, ...(locales.length > 2 && { $expr: isEarlier }) };
  const lookup = {
    ...{ from: type.collection, localField, foreignField: groupField, let: { own: '$locale' } },
    pipeline: [{ $match: before }, ...seen, { $limit: 1 }, { $project: { _id: 1 } }],
    as,
  };
  joins.push({ condition, stages: [{ $set: group }, { $lookup: lookup }] });
  return { [as]: { $size: 0 } };
}

async function listGroups(
  { type, locales }: FallbackCondition,
  seen: readonly Document[],
  { database }: Joining,
): Promise<Document> {
  const rank = { $min: { $indexOfArray: [locales, '$locale'] } };
  const pipeline = [{ $match: { locale: { $in: locales.slice(0, -1) } } }, ...seen, { $group: { _id: groupNumber, rank } }];
  const groups = await readAll(asScanned(database), { aggregate: type.collection, pipeline });
  database.budget.spend('idsResolved', groups.length);
  const before = (rank: number): unknown[] => groups.filter((one) => Number(one['rank']) < rank).map(({ _id }): unknown => _id);
  return { $or: locales.map((locale, rank) => ({ locale, [groupField]: { $nin: before(rank).filter(isGroup) } })) };
}
