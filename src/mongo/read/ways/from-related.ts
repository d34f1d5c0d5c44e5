import type { Document } from 'mongodb';
import { allOf, conjunctsOf } from '../../../query/conditions.js';
import { type Condition, isSought, type Plan } from '../../../query/plan.js';
import { type Database } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { isTooLarge } from '../../send/driver-errors.js';
import { compileCondition, compileOwnId, type RelatedCondition } from '../compile-condition.js';
import { asList, compilePagePipeline, sortsByComputed } from '../compile-page.js';
import { joinFields } from '../join-related.js';
import { relatedIds, resolveRelated } from '../resolve-related.js';
import { narrowestBefore } from './choose.js';
import { pageOf } from './page-of.js';
import { noteFull, wasShort } from './page-total.js';
import type { Way } from './way.js';

/**
 * Reads a page by one pipeline that begins with the related entries that meet a condition, and looks up the entries that are
 * linked with them. Their ids do not leave the server. This takes half the time in Node of resolving ids, but no index can be named.
 * So it is used for pages that were not full before, and for other pages without a total if there is one such condition.
 */
export const fromRelated: Way = {
  name: 'from related entries',
  fits: (plan, { database }) => {
    const isShort = wasShort(plan);
    if (isSought(plan) || isShort === false || (plan.withTotal && isShort === null)) return false;
    return database.session === null && !sortsByComputed(plan.sort) && beginningOf(plan) !== null;
  },
  read: async (plan, { database }) => {
    const first = beginningOf(plan);
    if (first === null) return null;
    try {
      return { documents: await readAll(database, await compilePipeline(plan, first, database)) };
    } catch (error) {
      if (!isTooLarge(error)) throw error; // the ids of the related entries do not fit into one document
      noteFull(plan);
      return null;
    }
  },
};

/** Returns whether a pipeline can begin with the related entries that meet a condition. */
export const canLead = (condition: Condition): condition is RelatedCondition =>
  condition.kind === 'related' &&
  !condition.orMissing &&
  (condition.link.storage.kind === 'own' || condition.link.storage.kind === 'inverse') &&
  compileOwnId(condition) === null;

/** Returns the condition that a pipeline begins with: the only one, or the one that the fewest entries met before. */
function beginningOf(plan: Plan): RelatedCondition | null {
  const parts = conjunctsOf(plan.condition);
  const [first, second] = parts.filter(canLead);
  if (first === undefined || parts.some(({ kind }) => kind === 'search')) return null; // $text must come first
  return second === undefined ? first : narrowestBefore(plan);
}

async function compilePipeline(plan: Plan, first: RelatedCondition, database: Database): Promise<Document> {
  const parts = conjunctsOf(plan.condition);
  const others = parts.filter(canLead).filter((part) => part !== first);
  const rest = parts.filter((part) => part !== first && !others.includes(part as RelatedCondition));
  const [begin, ...lists] = await Promise.all([first, ...others].map((one) => compileIds(one, database)));
  const resolved = new Map(await resolveRelated(allOf(rest), database));
  for (const [index, other] of others.entries()) resolved.set(other, isAmong(other, `$$ids${String(index)}`));
  const match = compileCondition(allOf([...rest, ...others]), resolved);
  const variables = lists.map((_, index) => `ids${String(index)}`);
  return {
    aggregate: begin?.collection,
    pipeline: [
      ...(begin?.stages ?? []),
      ...lists.flatMap(({ collection, stages }, index) => [
        { $lookup: { from: collection, pipeline: stages, as: variables[index] } },
        { $unwind: `$${variables[index] ?? ''}` },
      ]),
      ...lookUpEntries({
        from: plan.type.collection,
        foreignField: joinFields(first).localField,
        ...(lists.length > 0 && { let: Object.fromEntries(variables.map((name) => [name, `$${name}.ids`])) }),
        pipeline: compilePagePipeline(pageOf(plan, match, database)),
      }),
    ],
    cursor: {},
  };
}

/** Returns a match for the entries that are linked with one of the ids in a variable. */
const isAmong = ({ link, path }: RelatedCondition, variable: string): Document => ({
  $expr:
    link.storage.kind === 'inverse'
      ? { $in: ['$_id', variable] }
      : { $ne: [{ $setIntersection: [asList(`$${path}`), variable] }, []] },
});

/** A pipeline that leads to one document with a list of ids, or to none if there are no ids. */
interface IdPipeline {
  readonly collection: string;
  readonly stages: readonly Document[];
}

/**
 * Compiles the ids by which entries are linked with the related entries that meet a condition. If that condition leads further
 * through one relation, the pipeline begins there.
 */
export async function compileIds(condition: RelatedCondition, database: Database): Promise<IdPipeline> {
  if (!condition.ofRule) database.budget.spend('relatedConditions');
  const { target } = condition;
  const parts = conjunctsOf(condition.condition);
  const [next, second] = parts.filter(canLead);
  const isChain = next !== undefined && second === undefined;
  const rest = isChain ? allOf(parts.filter((part) => part !== next)) : condition.condition;
  const $match = compileCondition(rest, await resolveRelated(rest, database));
  if (!isChain) return { collection: target.collection, stages: [{ $match }, ...relatedIds(condition)] };
  const { collection, stages } = await compileIds(next, database);
  const project = { $project: { [joinFields(condition).foreignField]: 1 } };
  const lookup = { from: target.collection, foreignField: joinFields(next).localField, pipeline: [{ $match }, project] };
  return { collection, stages: [...stages, ...lookUpEntries(lookup), ...relatedIds(condition)] };
}

/** Returns the stages that look up the entries whose foreign field has one of the `ids`, each entry once. */
export const lookUpEntries = (lookup: Document): readonly Document[] => [
  { $lookup: { ...lookup, localField: 'ids', as: 'entry' } },
  { $unwind: '$entry' },
  { $replaceRoot: { newRoot: '$entry' } },
];
