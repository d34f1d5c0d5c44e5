import type { Document } from 'mongodb';
import { allOf, conjunctsOf, termsOf } from '#model/query/conditions.js';
import type { Condition, Plan } from '#model/query/plan.js';
import type { Database } from '../../send/database.js';
import { asList, compileOwnId, type RelatedCondition } from '../compile-condition.js';
import { joinFields } from '../join-related.js';
import { relatedIds } from '../collect-ids.js';
import { relatedStages } from '../resolve-related.js';

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
 * Returns the condition where the pipeline of another one begins: the only one of its parts that can lead to it; null if the pipeline begins
 * with the related entries themselves.
 */
function nextOf({ condition }: RelatedCondition): RelatedCondition | null {
  const [next, second] = conjunctsOf(condition).filter(canLead);
  return second === undefined ? (next ?? null) : null;
}

/** Returns how many conditions a pipeline of ids stands for, without those of row rules, which clients do not pay for. */
export function countChain(condition: RelatedCondition): number {
  const next = nextOf(condition);
  return ownCost(condition) + (next === null ? 0 : countChain(next));
}

/** Returns what clients pay for a condition, without those within it. */
export const ownCost = ({ ofRule }: RelatedCondition): number => (ofRule ? 0 : 1);

/** Returns the part of the condition on related entries that the pipeline of its ids does not begin with. */
const restWithin = ({ condition }: RelatedCondition, next: RelatedCondition | null): Condition =>
  next === null ? condition : allOf(conjunctsOf(condition).filter((part) => part !== next));

/** Returns whether a command is needed to resolve a condition, also if it is of a row rule. */
export const needsCommand = (condition: Condition): boolean =>
  termsOf(condition).some((term) => {
    if (term.kind === 'related') return compileOwnId(term) === null;
    if (term.kind === 'element') return term.place !== null || needsCommand(term.condition);
    if (term.kind === 'search') return needsCommand(term.otherwise);
    return term.kind === 'fallback' && term.visible !== null && needsCommand(term.visible);
  });

/** Returns whether the pipeline of the ids of a condition can be compiled without a command. */
export function isCompiledAlone(condition: RelatedCondition): boolean {
  const next = nextOf(condition);
  return !needsCommand(restWithin(condition, next)) && (next === null || isCompiledAlone(next));
}

/**
 * Compiles the ids by which entries are linked with the related entries that meet a condition, up to a number of them if there is one. If
 * that condition leads further through one relation, the pipeline begins there. Spends nothing for these relations: see `countChain`.
 */
export async function compileIds(condition: RelatedCondition, database: Database, most = Infinity): Promise<IdPipeline> {
  const { target } = condition;
  const next = nextOf(condition);
  const own = await relatedStages({ ...condition, condition: restWithin(condition, next) }, database);
  if (next === null) return { collection: target.collection, stages: [...own, ...relatedIds(condition, most)] };
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
