import { allOf, conjunctsOf } from '#model/query/conditions.js';
import type { Plan } from '#model/query/plan.js';
import { isTimedOut, isWithoutIndex } from '../../send/driver-errors.js';
import { readAll } from '../../send/read-commands.js';
import { estimateCount, estimateSize, factTimeout, fewEntries } from '../collection-facts.js';
import { compileCondition, type RelatedCondition } from '../compile-condition.js';
import { compilePagePipeline, sortsByComputed } from '../compile-page.js';
import { isServed, modelLeading } from '../is-served.js';
import { compileJoinedCondition, joinSome, joinStages } from '../join-related.js';
import { relatedStages, resolveOrJoin } from '../resolve-related.js';
import { indexOfSort } from './index-order.js';
import { canLead } from './linked-ids.js';
import { isSought, pageOf } from './page-of.js';
import { leadsToFew, wasShort } from './page-total.js';
import { isSlow, noteSlow } from './slow-forms.js';
import type { Facts, Way } from './way.js';

/** How many times as long it takes to join an entry as to read an id. */
const joinFactor = 2.5;

/**
 * Reads a page without a total in the order of its sort, joins each entry with the related entries of the other side, and stops when the
 * page is full. The cost of the other ways grows with the number of related entries, so it is used if many of them meet the condition.
 */
export const joinedInOrder: Way = {
  name: 'list joined in the order of the sort',
  fits: (plan, facts) => {
    const broad = facts.database.session === null ? inverseOf(plan) : null;
    if (broad === null || indexOfSort(plan, facts.registry) === null) return false;
    return !isSlow(facts.database.db, formOf(plan)) && meetMany(plan, broad, facts);
  },
  read: async (plan, { database, registry }) => {
    const parts = conjunctsOf(plan.condition);
    const inverse = parts.find(canLead);
    if (inverse === undefined) return null;
    if (!inverse.ofRule) database.budget.spend('relatedConditions');
    const { resolved, joins } = await resolveOrJoin(allOf(parts.filter((part) => part !== inverse)), database);
    const joined = joinSome(inverse, await relatedStages(inverse, database), joins);
    const { match, before } = compileJoinedCondition(plan.condition, new Map([...resolved, [inverse, joined]]), joins);
    const pipeline = compilePagePipeline(pageOf(plan, before, database), joinStages(joins, match));
    const maxTimeMS = Math.min(database.maxTimeMS.read, factTimeout);
    // the server would sort all entries by the index of another condition
    const hint = leadsToFew(plan) ? {} : { hint: indexOfSort(plan, registry)?.name };
    try {
      return { documents: await readAll(database, { aggregate: plan.type.collection, pipeline, maxTimeMS, ...hint }) };
    } catch (error) {
      if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
      noteSlow(database.db, formOf(plan)); // many related entries belong to few entries, or the index is not built yet
      return null;
    }
  },
};

/** The form of a query, whatever its operands are: its type, the relation that its filter goes through, and its order. */
const formOf = (plan: Plan): string =>
  JSON.stringify([
    'joined in order',
    plan.type.uid,
    inverseOf(plan)?.link.storage,
    plan.sort.map(({ path, order }) => [path, order]),
  ]);

/** Returns the only condition on related entries of a page without a total, if the other side stores the relation; otherwise null. */
function inverseOf(plan: Plan): RelatedCondition | null {
  if (plan.withTotal || plan.window.limit === null || isSought(plan) || wasShort(plan) === true) return null;
  const parts = conjunctsOf(plan.condition);
  const [first, second] = parts.filter((part) => part.kind !== 'comparison');
  if (first === undefined || second !== undefined || sortsByComputed(plan.sort) || !canLead(first)) return null;
  return first.link.storage.kind === 'inverse' ? first : null;
}

/** Returns whether so many related entries meet a condition that joining entries until the page is full is likely to take less time. */
async function meetMany({ type, window }: Plan, { target, condition }: RelatedCondition, facts: Facts): Promise<boolean> {
  const { database, registry } = facts;
  const indexes = { ...modelLeading(target, registry), searches: database.searches };
  const terms = conjunctsOf(condition);
  if (!terms.every(({ kind }) => kind === 'comparison') || !isServed(condition, indexes)) return false; // counting would take long
  const all = await estimateSize(type, database);
  const most = Math.max(Math.sqrt(joinFactor * (window.skip + (window.limit ?? 0)) * all), fewEntries);
  if ((await estimateSize(target, database)) <= most) return false;
  const limit = 2 ** Math.ceil(Math.log2(most + 1)); // the same for many pages, so that they share the count
  const subject = { collection: target.collection, match: compileCondition(condition, new Map()), limit };
  return ((await estimateCount(subject, database)) ?? Infinity) > most; // no number: they are too many to be counted
}
