import type { Document } from 'mongodb';
import { termsOf } from '#model/query/conditions.js';
import type { Plan } from '#model/query/plan.js';
import { isTimedOut, isTooLarge } from '../../send/driver-errors.js';
import { readAll } from '../../send/read-commands.js';
import { usableIds } from '../collect-ids.js';
import { factTimeout } from '../collection-facts.js';
import type { RelatedCondition } from '../compile-condition.js';
import { sortsByComputed } from '../compile-page.js';
import { noteNarrowest } from './choose.js';
import { compilePageAndTotal, foundIn, type Lead, leadBy, restOf } from './compile-page-and-total.js';
import { countChain, isCompiledAlone, leadsOf, needsCommand, ownCost } from './linked-ids.js';
import { wasShort } from './page-total.js';
import { isSlow, noteSlow } from './slow-forms.js';
import type { Facts, Way } from './way.js';
import { isSought } from './page-of.js';

/**
 * Reads a page and its total by one pipeline that begins with the related entries, if few entries are expected. The server finds out how
 * many related entries meet each condition; the sizes of the collections say how many entries each of these is likely to lead to. The
 * entries are looked up by the condition that leads to the fewest. If many are expected, the answer is the ids alone, by which another
 * way reads the page, so that no command was sent in vain. Conditions that need commands of their own are left to the other ways.
 */
export const pageAndTotal: Way = {
  name: 'page and total from related entries',
  counts: true,
  fits: (plan, { database }) => {
    if (!plan.withTotal || wasShort(plan) !== null || isSought(plan) || database.session !== null) return false;
    const leads = leadsOf(plan);
    if (leads.length === 0 || sortsByComputed(plan.sort) || isSlow(database.db, formOf(plan))) return false;
    return leads.every(isCompiledAlone) && !needsCommand(restOf(plan));
  },
  read: async (plan, facts) => {
    const keep = facts.totals.keeper(plan.type.collection);
    const cost = costOf(leadsOf(plan));
    facts.database.budget.spend('relatedConditions', cost);
    const leads = await Promise.all(leadsOf(plan).map((condition, index) => leadBy(condition, index, plan, facts)));
    const rows = await readRows(plan, leads, facts);
    if (rows === null) {
      facts.database.budget.takeBack('relatedConditions', cost);
      return null;
    }
    const [row] = rows;
    const idLists = (row?.['ids'] ?? []) as readonly (readonly unknown[])[]; // the lists of the pipeline
    const isResolved = noteIds(leads, idLists.map(usableIds), facts);
    if (row === undefined) return { documents: [], total: 0 }; // no related entry meets one of the conditions
    const lead = leads[Number(row['by'])];
    if (lead === undefined) return null;
    if (leads.length > 1) noteNarrowest(plan, lead.condition);
    const page = foundIn(row, Number(row['by']));
    const isPlain = isResolved && termsOf(restOf(plan)).every(({ kind }) => kind === 'comparison');
    if (isPlain && page.documents.length < page.total) keep((await facts.page()).match, page.total);
    return page;
  },
};

/** Returns what clients pay for the conditions that a pipeline begins with. */
const costOf = (leads: readonly RelatedCondition[]): number => leads.reduce((sum, one) => sum + countChain(one), 0);

/**
 * Notes the ids of conditions, none if an entry cannot meet them all. Returns whether they are no more than may be resolved. If they are,
 * another way resolves the conditions within again, and spends for those.
 */
function noteIds(leads: readonly Lead[], found: readonly (readonly unknown[])[], { database, relatedIds }: Facts): boolean {
  let left = database.budget.remaining('idsResolved');
  let areFew = true;
  for (const [index, { condition }] of leads.entries()) {
    const ids = found[index] ?? [];
    relatedIds.set(condition, ids);
    if (ids.length <= left) left -= ids.length;
    else {
      areFew = false;
      database.budget.takeBack('relatedConditions', countChain(condition) - ownCost(condition));
    }
  }
  return areFew;
}

/**
 * Runs the pipeline. Returns null if it takes long, or if its page or a list of ids does not fit into a document. Queries of its form are
 * then read in other ways for a while.
 */
async function readRows(plan: Plan, leads: readonly Lead[], facts: Facts): Promise<readonly Document[] | null> {
  const { database } = facts;
  const command = await compilePageAndTotal(plan, leads, facts);
  try {
    return await readAll(database, { ...command, maxTimeMS: Math.min(database.maxTimeMS.read, factTimeout) });
  } catch (error) {
    if (!isTimedOut(error) && !isTooLarge(error)) throw error;
    noteSlow(database.db, formOf(plan));
    return null;
  }
}

/** The form of a query, whatever its operands are: its type, and the relations that its filters go through. */
const formOf = (plan: Plan): string => JSON.stringify(['page and total', plan.type.uid, leadsOf(plan).map(({ path }) => path)]);
