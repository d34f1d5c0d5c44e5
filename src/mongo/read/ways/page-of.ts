import { BSON, type Document } from 'mongodb';
import type { Position } from '../../../query/bound-cursors.js';
import { conjunctsOf } from '../../../query/conditions.js';
import { type Condition, type Plan, scorePath } from '../../../query/plan.js';
import type { Database } from '../../send/database.js';
import type { SearchIndexes } from '../../send/index-state.js';
import { readAll } from '../../send/read-commands.js';
import { compilePage, type Page } from '../compile-page.js';
import { compileProjection } from '../compile-projection.js';
import { byCursors, positionOf } from '../seek.js';

/** Returns a page with a compiled condition. */
export function pageOf(plan: Plan, match: Document, database: Database): Page {
  const page = pageOfList(plan, match, database);
  return plan.pagination.kind === 'cursor' ? byCursors(page, plan.pagination) : page;
}

function pageOfList({ type, sort, window, selection, condition }: Plan, match: Document, { budget, searches }: Database): Page {
  const limit = boundLimit(window.limit, budget.left('entriesRead'));
  const rank = rankOf(condition, searches);
  return {
    collection: type.collection,
    match,
    sort: rank === null ? sort.filter(({ path }) => path !== scorePath) : sort,
    rank,
    window: { ...window, limit },
    projection: compileProjection(selection),
  };
}

/** Returns the sort that puts the best matches of a search first; null if there is no search, or no index that ranks them. */
function rankOf(condition: Condition | null, searches: SearchIndexes): Document | null {
  const search = conjunctsOf(condition).find(({ kind }) => kind === 'search');
  return search?.kind === 'search' ? (searches.find(search)?.rank ?? null) : null;
}

/** Returns the limit of a page, lowered to one entry more than the budget allows, which is enough to detect the excess. */
const boundLimit = (limit: number | null, left: number): number | null =>
  limit === null || limit > left ? (left === Infinity ? limit : left + 1) : limit;

/** Returns the position that an entry has in a list by cursors; null if there is no entry with this id. */
export async function findPosition(plan: Plan, id: number, database: Database): Promise<Position | null> {
  const page = pageOf({ ...plan, condition: null }, { _id: id }, database);
  const [document] = await readAll(database, compilePage(page));
  return document === undefined ? null : positionOf(document);
}

/** Returns a position as bytes. The types of its values are kept. */
export const encodePosition = ({ values, id }: Position): Uint8Array => BSON.serialize({ i: id, v: values });

/** Returns the position that bytes were made of. */
export function decodePosition(bytes: Uint8Array): Position {
  const { i, v } = BSON.deserialize(bytes, { promoteLongs: false, bsonRegExp: true }) as Document;
  return { id: Number(i), values: v as readonly unknown[] }; // as they were encoded
}
