import type { Document } from 'mongodb';
import { unlimited } from '../../../limits/budget.js';
import { type Database } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { isTimedOut, isTooLarge } from '../../send/driver-errors.js';
import { compilePagePipeline } from '../compile-page.js';
import { joinFields, joinStages } from '../join-related.js';
import { canLead, compileIds, lookUpEntries } from './from-related.js';
import type { JoinedPage, PageTotal, Way } from './way.js';

/**
 * Reads the entries in the order of the sort, joins each with its related entries, and stops when the page is full. The cost does
 * not depend on how many related entries meet a condition, so it is used if they are more than ids may be resolved.
 */
export const joinedList: Way = {
  name: 'list joined with related entries',
  fits: async (_plan, facts) => (await facts.page()).joins.length > 0,
  read: async (_plan, facts) => {
    const page = await facts.page();
    const stages = compilePagePipeline({ ...page, match: page.before });
    const sorted = stages.findIndex((stage) => '$sort' in stage) + 1;
    const pipeline = [...stages.slice(0, sorted), ...joinStages(page.joins, page.match), ...stages.slice(sorted)];
    const command = { aggregate: page.collection, pipeline, cursor: {}, allowDiskUse: true };
    return { documents: await readJoined(command, facts.database) };
  },
};

/** Runs a command with joins. Throws the ValidationError of too many ids if it exceeds the time limit. */
const readJoined = (command: Document, database: Database): Promise<readonly Document[]> =>
  readAll(database, command).catch((error: unknown) => {
    if (isTimedOut(error)) database.budget.spend('idsResolved', database.budget.left('idsResolved') + 1);
    throw error;
  });

/**
 * Returns how to count a joined list. It begins with the related entries that meet the condition, unless several conditions need a
 * join or the ids do not fit into one document; then each entry of the list is joined. The total is not kept, because writes to the
 * related entries would change it.
 */
export const joinedTotal = (page: JoinedPage, database: Database): PageTotal => ({
  kept: null,
  count: async () => {
    const count = { $count: 'n' };
    const all = {
      aggregate: page.collection,
      pipeline: [{ $match: page.before }, ...joinStages(page.joins, page.match), count],
      cursor: {},
    };
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
  return { aggregate: ids.collection, pipeline, cursor: {} };
}
