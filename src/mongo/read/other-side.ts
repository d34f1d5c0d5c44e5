import type { Document } from 'mongodb';
import type { Position } from '../../query/bound-cursors.js';
import type { Plan } from '../../query/plan.js';
import { readAll } from '../send/read-commands.js';
import { nothing } from './compile-condition.js';
import { both, compileKeys, sortsByComputed } from './compile-page.js';
import { joinStages } from './join-related.js';
import { compileSeek } from './seek.js';
import type { Facts, JoinedPage } from './ways/way.js';

/**
 * Returns whether a list has entries on the other side of the cursor of a page; false if there is no cursor, or the answer does not say
 * it. Sends one command, which ends at the first entry. It is not needed if the entry of the cursor was found.
 */
export async function hasOtherSide({ pagination }: Plan, { page, database }: Facts): Promise<boolean> {
  if (pagination.kind !== 'cursor' || pagination.from === null || !pagination.looksBack) return false;
  const found = await page();
  if (found.match === nothing) return false;
  return (await readAll(database, compileExists(found, pagination.from))).length > 0;
}

/** Returns a command that finds an entry on the other side of a position. It sorts nothing. */
function compileExists(page: JoinedPage, from: Position): Document {
  const { collection, match, before, joins, score = null } = page;
  const behind = compileSeek({ ...page, backwards: page.backwards !== true }, from, false);
  const projection = { _id: 1 };
  if (joins.length === 0 && score === null && !sortsByComputed(page.sort))
    return { find: collection, filter: both(match, behind), projection, limit: 1 };
  const stages = [{ $match: before }, ...compileKeys(page), { $match: behind }, ...joinStages(joins, match)];
  return { aggregate: collection, pipeline: [...stages, { $limit: 1 }, { $project: projection }], cursor: {} };
}
