import type { Document } from 'mongodb';
import { allOf, conjunctsOf } from '#model/query/conditions.js';
import type { Plan } from '#model/query/plan.js';
import { unlimited } from '#base/limits/budget.js';
import type { Database } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { isTimedOut, isTooLarge } from '../../send/driver-errors.js';
import type { RelatedCondition } from '../compile-condition.js';
import { compilePagePipeline, inCollation, sortsByComputed } from '../compile-page.js';
import { compileJoinedCondition, joinFields, joinStages } from '../join-related.js';
import { resolveOrJoin } from '../resolve-related.js';
import { narrowestBefore } from './choose.js';
import { canLead, compileIds, countChain, isAmong, leadsOf, lookUpEntries } from './linked-ids.js';
import { isSought, pageOf } from './page-of.js';
import { recordFullPage, wasShort } from './page-total.js';
import type { JoinedPage, PageTotal, Way } from './way.js';

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
      recordFullPage(plan);
      return null;
    }
  },
};

/** Returns the condition that a pipeline begins with: the only one, or the one that the fewest entries met before. */
function beginningOf(plan: Plan): RelatedCondition | null {
  const [first, second] = leadsOf(plan);
  if (first === undefined) return null;
  return second === undefined ? first : narrowestBefore(plan);
}

async function compilePipeline(plan: Plan, first: RelatedCondition, database: Database): Promise<Document> {
  const parts = conjunctsOf(plan.condition);
  const others = parts.filter(canLead).filter((part) => part !== first);
  const rest = parts.filter((part) => part !== first && !others.includes(part as RelatedCondition));
  const leads = [first, ...others];
  database.budget.spend(
    'relatedConditions',
    leads.map(countChain).reduce((sum, one) => sum + one),
  );
  const [begin, ...lists] = await Promise.all(leads.map((one) => compileIds(one, database)));
  const { resolved: ofRest, joins } = await resolveOrJoin(allOf(rest), database);
  const resolved = new Map(ofRest);
  for (const [index, other] of others.entries()) resolved.set(other, isAmong(other, `$$ids${String(index)}`));
  const { match, before } = compileJoinedCondition(allOf([...rest, ...others]), resolved, joins);
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
        pipeline: compilePagePipeline(pageOf(plan, before, database), joinStages(joins, match)),
      }),
    ],
  };
}

/**
 * Reads the entries in the order of the sort, joins each with its related entries, and stops when the page is full. The cost does
 * not depend on how many related entries meet a condition, so it is used if they are more than ids may be resolved.
 */
export const joinedList: Way = {
  name: 'list joined with related entries',
  fits: async (_plan, facts) => (await facts.page()).joins.length > 0,
  read: async (_plan, facts) => {
    const page = await facts.page();
    const pipeline = compilePagePipeline({ ...page, match: page.before }, joinStages(page.joins, page.match));
    const command = { aggregate: page.collection, pipeline, allowDiskUse: true, ...inCollation(page) };
    return { documents: await readJoined(command, facts.database) };
  },
};

/** Runs a command with joins. Throws the ValidationError of too many ids if it exceeds the time limit. */
const readJoined = (command: Document, database: Database): Promise<readonly Document[]> =>
  readAll(database, command).catch((error: unknown) => {
    if (isTimedOut(error)) database.budget.spend('idsResolved', database.budget.remaining('idsResolved') + 1);
    throw error;
  });

/**
 * Returns how to count a joined list. It begins with the related entries that meet the condition, unless several conditions need a
 * join or the ids do not fit into one document; then each entry of the list is joined. The total is not kept, because writes to the
 * related entries would change it.
 */
export const joinedTotal = (page: JoinedPage, database: Database): PageTotal => ({
  cachedTotal: null,
  count: async () => {
    const count = { $count: 'n' };
    const pipeline = [{ $match: page.before }, ...joinStages(page.joins, page.match), count];
    const all = { aggregate: page.collection, pipeline };
    const begun = await compileCount(page, database);
    const rows = await readJoined(begun ?? all, database).catch((error: unknown) => {
      if (begun === null || !isTooLarge(error)) throw error;
      return readJoined(all, database);
    });
    return Number(rows[0]?.['n'] ?? 0);
  },
});

/** Compiles a count that begins with the related entries; null if there is not a single condition that each entry must meet. */
async function compileCount({ collection, before, joins, isAlone }: JoinedPage, database: Database): Promise<Document | null> {
  const [join] = joins;
  if (join === undefined || !isAlone || !canLead(join.condition)) return null;
  const ids = await compileIds(join.condition, { ...database, budget: unlimited }); // spent when it was resolved
  const entries = [{ $match: before }, { $project: { _id: 1 } }];
  const lookup = { from: collection, foreignField: joinFields(join.condition).localField, pipeline: entries };
  const pipeline = [...ids.stages, ...lookUpEntries(lookup), { $count: 'n' }];
  return { aggregate: ids.collection, pipeline };
}
