import type { Document } from 'mongodb';
import { allOf, conjunctsOf } from '#model/query/conditions.js';
import type { Condition, Plan } from '#model/query/plan.js';
import type { Database } from '../../send/database.js';
import { asList, compileOwnId, type RelatedCondition } from '../compile-condition.js';
import { joinFields } from '../join-related.js';
import { relatedIds, stagesOf } from '../resolve-related.js';

/** Returns whether a pipeline can begin with the related entries that meet a condition. */
export const canLead = (condition: Condition): condition is RelatedCondition =>
  condition.kind === 'related' &&
  !condition.orMissing &&
  (condition.link.storage.kind === 'own' || condition.link.storage.kind === 'inverse') &&
  compileOwnId(condition) === null;

/** Returns the conditions that a pipeline can begin with: each entry must meet them. A full-text search must come first itself. */
export function leadsOf({ condition }: Pick<Plan, 'condition'>): readonly RelatedCondition[] {
  const parts = conjunctsOf(condition);
  return parts.some(({ kind }) => kind === 'search') ? [] : parts.filter(canLead);
}

/** Returns a match for the entries that are linked with one of the ids in a variable. */
export const isAmong = ({ link, path }: RelatedCondition, variable: string): Document => ({
  $expr:
    link.storage.kind === 'inverse'
      ? { $in: ['$_id', variable] }
      : { $ne: [{ $setIntersection: [asList(`$${path}`), variable] }, []] },
});

/** A pipeline that leads to one document with a list of ids, or to none if there are no ids. */
export interface IdPipeline {
  readonly collection: string;
  readonly stages: readonly Document[];
}

/**
 * Compiles the ids by which entries are linked with the related entries that meet a condition, up to a number of them if there is one. If
 * that condition leads further through one relation, the pipeline begins there.
 */
export async function compileIds(condition: RelatedCondition, database: Database, most = Infinity): Promise<IdPipeline> {
  if (!condition.ofRule) database.budget.spend('relatedConditions');
  const { target } = condition;
  const parts = conjunctsOf(condition.condition);
  const [next, second] = parts.filter(canLead);
  const isChain = next !== undefined && second === undefined;
  const rest = isChain ? allOf(parts.filter((part) => part !== next)) : condition.condition;
  const own = await stagesOf(rest, database);
  if (!isChain) return { collection: target.collection, stages: [...own, ...relatedIds(condition, most)] };
  const { collection, stages } = await compileIds(next, database);
  const project = { $project: { [joinFields(condition).foreignField]: 1 } };
  const lookup = { from: target.collection, foreignField: joinFields(next).localField, pipeline: [...own, project] };
  return { collection, stages: [...stages, ...lookUpEntries(lookup), ...relatedIds(condition, most)] };
}

/** Returns the stages that look up the entries whose foreign field has one of the `ids`, each entry once. */
export const lookUpEntries = (lookup: Document): readonly Document[] => [
  { $lookup: { ...lookup, localField: 'ids', as: 'entry' } },
  { $unwind: '$entry' },
  { $replaceRoot: { newRoot: '$entry' } },
];
