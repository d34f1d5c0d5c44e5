import type { Document } from 'mongodb';
import { allOf, conjunctsOf } from '#model/query/conditions.js';
import type { Condition, Plan } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Database } from '../../send/database.js';
import { estimateSize, linksOfEntry } from '../collection-facts.js';
import type { RelatedCondition } from '../compile-condition.js';
import { compilePagePipeline, type Page } from '../compile-page.js';
import { compileJoinedCondition, joinFields, joinStages } from '../join-related.js';
import { resolveOrJoin } from '../resolve-related.js';
import { indexOfSort, isLinkInOrder, margin } from './index-order.js';
import { compileIds, type IdPipeline, isAmong, leadsOf } from './linked-ids.js';
import { pageOf } from './page-of.js';
import type { Facts, PageResult } from './way.js';

/** The number of expected entries from which it takes less time to read ids first. */
const mostExpected = 2_000;

/** The number of entries that take as long to read as the commands that are saved. */
const worthCommands = 500;

/** The most ids of a condition, and the most comparisons of entries with them. No index serves these. */
const mostIds = 10_000;
const mostComparisons = 200_000;

/** A condition on related entries, and the pipeline that lists the ids by which entries are linked with them. */
export interface Lead extends IdPipeline {
  readonly condition: RelatedCondition;
  /** The field with the ids. */
  readonly list: string;
  /** The number of entries that each id is likely to lead to. */
  readonly entries: number;
}

/** Compiles the condition with an index among those that a pipeline can begin with. */
export async function leadBy(condition: RelatedCondition, index: number, { type }: Plan, { database }: Facts): Promise<Lead> {
  const left = database.budget.remaining('idsResolved');
  // a limit takes the server a tenth of its time
  const mayBeMore = mayLeadToSeveral(condition) || (await estimateSize(condition.target, database)) > left;
  const [ids, entries] = await Promise.all([
    compileIds(condition, database, mayBeMore ? left : Infinity),
    entriesOf(condition, type, database),
  ]);
  return { ...ids, condition, entries, list: index === 0 ? 'ids' : `${leadField(index)}.ids` };
}

/** Returns whether one related entry may list several ids, because it stores the links of a relation to many. */
function mayLeadToSeveral({ link: { storage }, target }: RelatedCondition): boolean {
  if (storage.kind === 'own') return false;
  const owner = storage.kind === 'inverse' ? target.attributes.get(storage.field) : undefined;
  return owner?.kind !== 'relation' || owner.many;
}

/** Returns the number of entries that the id of a related entry is likely to lead to. If the other side stores the link, it is their own. */
async function entriesOf({ link, target }: RelatedCondition, type: ContentType, database: Database): Promise<number> {
  if (link.storage.kind !== 'own') return 1;
  const [entries, targets] = await Promise.all([estimateSize(type, database), estimateSize(target, database)]);
  return ((link.many ? linksOfEntry : 1) * entries) / Math.max(targets, 1);
}

const leadField = (index: number): string => `lead${String(index)}`;

/** Returns the part of a condition that no pipeline can begin with. */
export function restOf(plan: Plan): Condition {
  const leads: readonly Condition[] = leadsOf(plan);
  return allOf(conjunctsOf(plan.condition).filter((part) => !leads.includes(part)));
}

/**
 * Compiles a pipeline that leads to one document, or to none if no related entry meets one of the conditions: the `ids` of each condition,
 * the index of the one `by` which the entries are looked up, or -1 if many are expected, and the page and the total.
 */
export async function compilePageAndTotal(plan: Plan, leads: readonly Lead[], facts: Facts): Promise<Document> {
  const [first, ...others] = leads;
  const lookups = await compileLookups(plan, leads, facts);
  const found = lookups.map(({ $lookup: { as } }) => [as, 1] as const);
  return {
    aggregate: first?.collection,
    pipeline: [
      ...(first?.stages ?? []),
      ...others.flatMap(({ collection, stages }, index) => {
        const as = leadField(index + 1);
        return [{ $lookup: { from: collection, pipeline: stages, as } }, { $unwind: `$${as}` }];
      }),
      { $set: { by: await compileChoice(plan, leads, facts) } },
      { $set: Object.fromEntries(leads.map(({ list }, index) => [chosenField(index), compileChosen(list, index)])) as Document },
      ...lookups,
      { $project: { _id: 0, by: 1, ids: leads.map(({ list }) => `$${list}`), ...Object.fromEntries(found) } },
    ],
  };
}

/** The field with the ids by which entries are looked up, if they are those of a condition. */
const chosenField = (index: number): string => `by${String(index)}`;

const compileChosen = (list: string, index: number): Document => ({ $cond: [{ $eq: ['$by', index] }, `$${list}`, []] });

/** Returns an expression for the index of the condition that leads to the fewest entries; -1 if ids are better read first. */
async function compileChoice(plan: Plan, leads: readonly Lead[], facts: Facts): Promise<Document> {
  const { database } = facts;
  const mostRead = Math.min(mostIds, database.budget.remaining('idsResolved'));
  const sizes = leads.map(({ list }) => ({ $size: `$${list}` }));
  const entries = leads.map((lead, index) => ({ $multiply: [sizes[index], lead.entries] }));
  const [only, second] = leads;
  if (only !== undefined && second === undefined) {
    const most = Math.min(mostRead, (await mostWorth(plan, only, facts)) / only.entries);
    return { $cond: [{ $lte: [sizes[0], Math.floor(most)] }, 0, -1] };
  }
  const all = Math.max(await estimateSize(plan.type, database), 1);
  const expected = { $multiply: [all, ...entries.map((one) => ({ $min: [1, { $divide: [one, all] }] }))] };
  const comparisons = { $multiply: [{ $min: entries }, { $add: sizes }] };
  const isFew = [
    { $lte: [{ $max: sizes }, mostRead] },
    { $lte: [expected, mostExpected] },
    { $lte: [comparisons, mostComparisons] },
  ];
  return { $cond: [{ $and: isFew }, { $indexOfArray: [entries, { $min: entries }] }, -1] };
}

/**
 * Returns up to how many expected entries a pipeline is worth it. No index can be named in it, so there are fewer if that of the sort would
 * find the page among many.
 */
async function mostWorth(plan: Plan, lead: Lead, { database, registry }: Facts): Promise<number> {
  const { skip, limit } = plan.window;
  const mayBeNamed = isCounted(plan, lead) && indexOfSort(plan, registry) !== null;
  if (!mayBeNamed || limit === null || isLinkInOrder(plan, lead.condition, registry)) return mostExpected;
  const most = Math.sqrt(margin * (skip + limit) * (await estimateSize(plan.type, database)));
  return Math.min(mostExpected, Math.max(worthCommands, most));
}

/**
 * Returns whether an index counts the entries: that of a relation, which has the publication state too, or that of ids, if there is no
 * further condition.
 */
function isCounted({ type, condition, scope }: Plan, { condition: { link, path } }: Lead): boolean {
  const others = conjunctsOf(condition).length - 1;
  if (link.storage.kind !== 'own') return others === 0;
  return path === link.name && !type.localized && others === conjunctsOf(scope).length;
}

interface Lookup {
  readonly $lookup: { readonly as: string } & Document;
}

/**
 * Compiles the look-ups of the page and the total by each condition. If an index counts the entries, the page and the total have one each;
 * otherwise both come from one pass over the entries.
 */
async function compileLookups(plan: Plan, leads: readonly Lead[], { database }: Facts): Promise<readonly Lookup[]> {
  const rest = restOf(plan);
  const { resolved, joins } = await resolveOrJoin(rest, database);
  return leads.flatMap((lead, index): readonly Lookup[] => {
    const others = leads.filter((one) => one !== lead);
    const all = [...resolved, ...others.map(({ condition, list }) => [condition, isAmong(condition, variableOf(list))] as const)];
    const { match, before } = compileJoinedCondition(
      allOf([rest, ...others.map(({ condition }) => condition)]),
      new Map(all),
      joins,
    );
    const joined = joinStages(joins, match);
    const page = pageOf(plan, before, database);
    const lookup = {
      from: plan.type.collection,
      localField: chosenField(index),
      foreignField: joinFields(lead.condition).localField,
      ...(others.length > 0 && {
        let: Object.fromEntries(others.map(({ list }) => [variableOf(list).slice(2), `$${list}`])) as Document,
      }),
    };
    if (others.length > 0 || !isCounted(plan, lead))
      return [{ $lookup: { ...lookup, pipeline: compilePass(page, joined), as: foundField(index) } }];
    return [
      { $lookup: { ...lookup, pipeline: compilePagePipeline(page, joined), as: 'page' } },
      { $lookup: { ...lookup, pipeline: [{ $match: before }, ...joined, { $count: 'n' }], as: 'total' } },
    ];
  });
}

/** The greatest number that the server accepts as a place in an array. */
const mostSliced = 2 ** 31 - 1;

/** Returns the stages that lead to one document with the number of entries and those of the page. */
function compilePass(page: Page, joined: readonly Document[]): readonly Document[] {
  const { skip, limit } = page.window;
  const first = limit === null ? { $push: '$$ROOT' } : { $firstN: { n: skip + limit, input: '$$ROOT' } };
  const all = compilePagePipeline({ ...page, window: { skip: 0, limit: null } }, joined);
  const behind = { $slice: ['$page', Math.min(skip, mostSliced), Math.min(limit ?? Infinity, mostSliced)] };
  return [...all, { $group: { _id: null, n: { $sum: 1 }, page: first } }, ...(skip > 0 ? [{ $set: { page: behind } }] : [])];
}

const variableOf = (list: string): string => `$$${list.replace('.', '_')}`;

const foundField = (index: number): string => `found${String(index)}`;

/** Returns the page and the total in the document of the pipeline. */
export function foundIn(row: Document, by: number): Required<PageResult> {
  const passes = row[foundField(by)] as readonly Document[] | undefined;
  const [pass] = passes ?? (row['total'] as readonly Document[]); // as the look-ups find them
  const documents = (passes === undefined ? row['page'] : (pass?.['page'] ?? [])) as readonly Document[];
  return { documents, total: Number(pass?.['n'] ?? 0) };
}
