import type { Document } from 'mongodb';
import { isRecord } from '../../values.js';
import type { Condition, SortKey } from '../../query/plan.js';
import { compileCondition, type RelatedCondition, type Resolved } from './compile-condition.js';

/** A condition that more related entries meet than ids may be resolved, so that they are joined. */
interface Join {
  readonly condition: RelatedCondition;
  readonly lookup: Document;
}

/** The conditions of a read that are joined. */
export type Joins = Join[];

/** A condition, compiled for its entries after and before they are joined. */
interface Joined {
  readonly match: Document;
  readonly before: Document;
}

/** Compiles a condition some parts of which need a join. Without these parts more entries meet it. */
export function compileJoined(condition: Condition | null, resolved: Resolved, joins: Joins): Joined {
  const match = compileCondition(condition, resolved);
  if (joins.length === 0) return { match, before: match };
  const always = joins.map((join) => [join.condition, {}] as const);
  return { match, before: compileCondition(condition, new Map([...resolved, ...always])) };
}

/** Returns the stages that join entries and keep those that meet the condition. */
export const joinStages = (joins: Joins, match: Document): readonly Document[] =>
  joins.length === 0 ? [] : [...joins.map(({ lookup }) => lookup), { $match: match }];

/**
 * Adds a join, and returns a match for the entries with some related entry that the stages lead to. If the entries store the link,
 * they have few related entries. These are joined without a pipeline and then compared, which takes a fifth of the time.
 */
export function joinSome(condition: RelatedCondition, stages: readonly Document[], joins: Joins): Document {
  const [{ $match: match } = {}, second] = stages;
  const isPlain = condition.link.storage.kind === 'own' && second === undefined && !hasExpression(match);
  const as = addJoin(condition, isPlain ? {} : { pipeline: firstOf(stages) }, joins);
  return { [as]: isPlain ? { $elemMatch: match } : { $ne: [] } };
}

/** Adds a join, and returns a match for the entries without related entries that the stages lead to. */
export const joinNone = (condition: RelatedCondition, stages: readonly Document[], joins: Joins): Document => ({
  [addJoin(condition, { pipeline: firstOf(stages) }, joins)]: { $size: 0 },
});

function addJoin(condition: RelatedCondition, options: Document, joins: Joins): string {
  const as = `_join${String(joins.length)}`;
  joins.push({ condition, lookup: { $lookup: { from: condition.target.collection, ...joinFields(condition), ...options, as } } });
  return as;
}

/** Returns the fields by which a `$lookup` joins the entries with a link at a path with their related entries. */
export function joinFields({
  link: { storage },
  path,
}: Pick<SortKey['links'][number], 'link' | 'path'>): Readonly<Record<'localField' | 'foreignField', string>> {
  switch (storage.kind) {
    case 'inverse':
      return { localField: '_id', foreignField: storage.field };
    case 'localizations':
      return { localField: '_group', foreignField: '_group' };
    default:
      return { localField: path, foreignField: '_id' };
  }
}

const firstOf = (stages: readonly Document[]): Document[] => [...stages, { $limit: 1 }, { $project: { _id: 1 } }];

/** Returns whether a match has an expression, which MongoDB does not allow for elements of arrays. */
const hasExpression = (match: unknown): boolean =>
  Array.isArray(match)
    ? match.some(hasExpression)
    : isRecord(match) && ('$expr' in match || Object.values(match).some(hasExpression));
