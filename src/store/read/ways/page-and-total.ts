import type { Document } from 'mongodb';
import { termsOf } from '#model/query/conditions.js';
import { isSought, type Plan } from '#model/query/plan.js';
import { isTimedOut, isTooLarge } from '../../send/driver-errors.js';
import { readAll } from '../../send/read-commands.js';
import { factTimeout } from '../collection-facts.js';
import { sortsByComputed } from '../compile-page.js';
import { noteNarrowest } from './choose.js';
import { compilePageAndTotal, foundIn, type Lead, leadBy, restOf } from './compile-page-and-total.js';
import { leadsOf } from './linked-ids.js';
import { wasShort } from './page-total.js';
import { isSlow, noteSlow } from './slow-forms.js';
import type { Facts, Way } from './way.js';

/**
 * Reads a page and its total by one pipeline that begins with the related entries, if few entries are expected. The server finds out how
 * many related entries meet each condition; the sizes of the collections say how many entries each of these is likely to lead to. The
 * entries are looked up by the condition that leads to the fewest. If many are expected, the answer is the ids alone, by which another
 * way reads the page, so that no command was sent in vain.
 */
export const pageAndTotal: Way = {
  name: 'page and total from related entries',
  counts: true,
  fits: (plan, { database }) => {
    if (!plan.withTotal || wasShort(plan) !== null || isSought(plan) || database.session !== null) return false;
    return !sortsByComputed(plan.sort) && leadsOf(plan).length > 0 && !isSlow(database.db, formOf(plan));
  },
  read: async (plan, facts) => {
    const keep = facts.totals.keeper(plan.type.collection);
    const leads = await Promise.all(leadsOf(plan).map((condition, index) => leadBy(condition, index, plan, facts)));
    const rows = await readRows(plan, leads, facts);
    if (rows === null) return null;
    const [row] = rows;
    if (row === undefined) return { documents: [], total: 0 }; // no related entry meets one of the conditions
    const ids = row['ids'] as readonly (readonly unknown[])[]; // the lists of the pipeline
    for (const [index, { condition }] of leads.entries()) facts.known.set(condition, ids[index] ?? []);
    const lead = leads[Number(row['by'])];
    if (lead === undefined) return null;
    if (leads.length > 1) noteNarrowest(plan, lead.condition);
    const found = foundIn(row, Number(row['by']));
    const isPlain = termsOf(restOf(plan)).every(({ kind }) => kind === 'comparison');
    if (isPlain && found.documents.length < found.total) keep((await facts.page()).match, found.total);
    return found;
  },
};

/** Runs the pipeline. Returns null if its page does not fit into a document, or if it takes long, as it then does for a while. */
async function readRows(plan: Plan, leads: readonly Lead[], facts: Facts): Promise<readonly Document[] | null> {
  const { database } = facts;
  const command = await compilePageAndTotal(plan, leads, facts);
  try {
    return await readAll(database, { ...command, maxTimeMS: Math.min(database.maxTimeMS.read, factTimeout) });
  } catch (error) {
    if (isTimedOut(error)) noteSlow(database.db, formOf(plan));
    else if (!isTooLarge(error)) throw error;
    return null;
  }
}

/** The form of a query, whatever its operands are: its type, and the relations that its filters go through. */
const formOf = (plan: Plan): string => JSON.stringify(['page and total', plan.type.uid, leadsOf(plan).map(({ path }) => path)]);
