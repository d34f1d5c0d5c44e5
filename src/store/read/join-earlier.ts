import type { Document } from 'mongodb';
import { localeGroup } from '../form/layout.js';
import type { FallbackCondition } from './compile-condition.js';
import { joinName, type Joins } from './join-related.js';

/** A number that no group has. */
const noGroup = -1;

/**
 * Adds a join, and returns a match for the entries without a localization in an earlier locale that meets the stages. Each entry is joined
 * with these, by the index of groups and locales.
 */
export function joinEarlier(condition: FallbackCondition, visibleStages: readonly Document[], joins: Joins): Document {
  const { type, locales } = condition;
  const as = joinName(joins);
  const localField = `${as}_group`;
  // an entry of the first locale needs no join, and one without a group would be joined with all that have none
  const isJoined = { $and: [{ $ne: ['$locale', locales[0]] }, { $isNumber: `$${localeGroup.field}` }] };
  const group = { [localField]: { $cond: [isJoined, `$${localeGroup.field}`, noGroup] } };
  const isEarlier = { $lt: [{ $indexOfArray: [locales, '$locale'] }, { $indexOfArray: [locales, '$$own'] }] };
  const before = { locale: { $in: locales.slice(0, -1) }, ...(locales.length > 2 && { $expr: isEarlier }) };
  const lookup = {
    ...{ from: type.collection, localField, foreignField: localeGroup.field, let: { own: '$locale' } },
    pipeline: [{ $match: before }, ...visibleStages, { $limit: 1 }, { $project: { _id: 1 } }],
    as,
  };
  joins.push({ condition, stages: [{ $set: group }, { $lookup: lookup }] });
  return { [as]: { $size: 0 } };
}
