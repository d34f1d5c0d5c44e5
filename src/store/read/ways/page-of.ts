import { BSON, type Document } from 'mongodb';
import type { BoundCursors, Position } from '#model/query/bound-cursors.js';
import { conjunctsOf } from '#model/query/conditions.js';
import { type Condition, distancePath, type Plan, scorePath, type SortKey } from '#model/query/plan.js';
import { validationError } from '#base/errors.js';
import type { Database } from '../../send/database.js';
import type { SearchIndexes } from '../../send/index-state.js';
import { readAll } from '../../send/read-commands.js';
import type { StoredDocument } from '../../form/loaded.js';
import type { NearStage } from '../compile-near.js';
import { compileOrder, compilePage, type Page } from '../compile-page.js';
import { compileProjection } from '../compile-projection.js';

/** Returns whether a page is read from a cursor, or from the end of the list. */
export const isSought = ({ pagination }: Pick<Plan, 'pagination'>): boolean =>
  pagination.kind === 'cursor' && (pagination.from !== null || pagination.backwards);

/** Returns a page with a compiled condition. */
export function pageOf(plan: Plan, match: Document, database: Database): Page {
  const page = pageOfList(plan, match, database);
  return plan.pagination.kind === 'cursor' ? byCursors(page, plan.pagination) : page;
}

function pageOfList(
  { type, sort, window, selection, condition, near, foundEntries }: Plan,
  match: Document,
  { budget, searches }: Database,
): Page {
  const limit = boundLimit(window.limit, budget.remaining('entriesRead'));
  const rank = rankOf(condition, searches);
  const isRanked = sort.some(({ path }) => path === scorePath);
  return {
    collection: type.collection,
    match,
    sort: rank === null && foundEntries === undefined ? sort.filter(({ path }) => path !== scorePath) : sort,
    rank,
    score: isRanked && foundEntries !== undefined ? { $indexOfArray: [{ $literal: foundEntries.ids }, '$_id'] } : null,
    window: { ...window, limit },
    projection: near === undefined ? compileProjection(selection) : { ...compileProjection(selection), [distancePath]: 1 },
    near: near ?? null,
  };
}

/** Returns the sort that puts the best matches of a search first; null if there is no search, or no index that ranks them. */
function rankOf(condition: Condition | null, searches: SearchIndexes): Document | null {
  const search = conjunctsOf(condition).find(({ kind }) => kind === 'search');
  return search?.kind === 'search' ? (searches.find(search)?.rank ?? null) : null;
}

/** Returns the limit of a page, lowered to one entry more than the budget allows, which is enough to detect the excess. */
const boundLimit = (limit: number | null, remaining: number): number | null =>
  limit === null || limit > remaining ? (remaining === Infinity ? limit : remaining + 1) : limit;

/** Returns the position that an entry has in a list by cursors; null if there is no entry with this id. */
async function findPosition(plan: Plan, id: number, database: Database): Promise<Position | null> {
  const page = pageOf({ ...plan, condition: null }, { _id: id }, database);
  const [document] = await readAll(database, compilePage(page));
  return document === undefined ? null : positionOf(document);
}

/** Returns a position as bytes. The types of its values are kept. */
const encodePosition = ({ values, id }: Position): Uint8Array => BSON.serialize({ i: id, v: values });

/** Returns the position that bytes were made of. */
function decodePosition(bytes: Uint8Array): Position {
  const { i, v } = BSON.deserialize(bytes, { promoteLongs: false, bsonRegExp: true }) as Document;
  return { id: Number(i), values: v as readonly unknown[] }; // as they were encoded
}

/** The field with the values of the sort keys, apart from the id, in the entries of a page by cursors. */
const positionField = '_position';

/** The field that says whether an entry is the one that the cursor was made of, with the same values. */
const atField = '_isAtCursor';

/** Returns the position of an entry of a page by cursors. */
const positionOf = (document: StoredDocument): Position => ({
  values: document[positionField] as readonly unknown[], // as the projection of such a page computes it
  id: Number(document['_id']),
});

export const isAtCursor = (document: StoredDocument | undefined): boolean => document?.[atField] === true;

/**
 * Returns the page that begins at a cursor, with one entry more than its limit, which shows whether others follow. If the answer says
 * whether there are entries on the other side, it begins with the entry of the cursor, if that is still there. Each entry has its
 * position. Throws a ValidationError if the position has other keys than the page.
 */
function byCursors(page: Page, { backwards, cursor, from, looksBack }: BoundCursors): Page {
  const { rank = null, window } = page;
  const isByScore = (key: SortKey): boolean => rank !== null && key.path === scorePath;
  // the database has no opposite order of scores, and cannot compare them, unless they are computed first
  const sort = page.sort.flatMap((key) => (isByScore(key) ? [{ ...key, order: -1 as const }, ...idBehind(key, page)] : [key]));
  const sorted = { ...page, sort, backwards, score: page.sort.some(isByScore) ? rank : (page.score ?? null) };
  const keys = keysOf(sorted);
  if (from !== null && from.values.length !== keys.length) throw foreignCursor(cursor?.parameter ?? '');
  const fields = keys.map(([field]) => `$${field}`);
  const isAt = from !== null &&
    looksBack && { [atField]: { $eq: [[...fields, '$_id'], { $literal: [...from.values, from.id] }] } };
  return {
    ...sorted,
    seek: from === null ? null : compileSeek(sorted, from, looksBack),
    near: from === null ? (page.near ?? null) : boundNear(page, from, backwards),
    window: { ...window, limit: window.limit === null ? null : window.limit + (isAt === false ? 1 : 2) },
    projection: { ...page.projection, [positionField]: fields, ...isAt },
  };
}

/** Returns the place of a page with a bound at a position, if the page is in the order of distances. */
function boundNear({ near = null, sort }: Page, { values: [distance] }: Position, backwards: boolean): NearStage | null {
  if (near === null || sort[0]?.path !== distancePath || typeof distance !== 'number') return near;
  return backwards ? { ...near, maxDistance: distance } : { ...near, minDistance: distance };
}

/** Returns the key for the id that follows a key without being named; none if another one follows. */
const idBehind = (key: SortKey, { sort }: Page): readonly SortKey[] => (key === sort.at(-1) ? [{ ...key, path: '_id' }] : []);

/** Returns the error for a cursor that was made for another list. */
const foreignCursor = (parameter: string): Error =>
  validationError(
    `Invalid parameter ${parameter}: it is not a cursor of this list. ` +
      'A cursor is valid for one type, sort, locale and publication state, and the same filters',
  );

type Key = readonly [field: string, order: number];

/** Returns the fields that a page is sorted by before the id. Further ones have no effect. */
function keysOf(page: Page): readonly Key[] {
  const fields = Object.entries(compileOrder(page)) as readonly Key[]; // scores are computed
  return fields.slice(
    0,
    fields.findIndex(([field]) => field === '_id'),
  );
}

/**
 * Returns a match for the entries that come after a position, and if `isIncluded` also for that at the position. There is one branch
 * for each key: the keys before it are equal. An index in the order of the keys serves them all, and the server merges them.
 */
export function compileSeek(page: Page, { values, id }: Position, isIncluded: boolean): Document {
  const keys = keysOf(page);
  const equal = keys.map(([field], index) => [field, { $eq: values[index] ?? null }] as const);
  const behind = keys.map((key, index) => compileBehind(key, values[index] ?? null));
  const idOrder = Number(compileOrder(page)['_id']);
  const branches = [
    ...behind.flatMap((match, index) => (match === null ? [] : [{ ...Object.fromEntries(equal.slice(0, index)), ...match }])),
    { ...Object.fromEntries(equal), _id: { [operatorOf(idOrder, isIncluded)]: id } },
  ];
  const [first, ...others] = branches;
  if (first === undefined || others.length === 0) return first ?? {};
  return { $and: [{ $or: branches }, ...boundOf(keys[0], values[0])] };
}

const operatorOf = (order: number, isIncluded: boolean): string => `${order > 0 ? '$gt' : '$lt'}${isIncluded ? 'e' : ''}`;

/**
 * Returns a match for the values behind one; null if there are none. Null comes first. Values are compared by an expression, because
 * other comparisons leave out values of other types, and null.
 */
function compileBehind([field, order]: Key, value: unknown): Document | null {
  if (value !== null) return compileBeyond([field, order], value, false);
  return order > 0 ? { [field]: { $ne: null } } : null;
}

/** Returns a match for the values behind one that is not null. */
export const compileBeyond = ([field, order]: Key, value: unknown, isIncluded: boolean): Document => ({
  $expr: { [operatorOf(order, isIncluded)]: [`$${field}`, { $literal: value }] },
});

/** Returns what all branches have in common: a bound of the first key, with which other plans of the server begin at the position too. */
const boundOf = (key: Key | undefined, value: unknown = null): readonly Document[] =>
  key === undefined || value === null ? [] : [compileBeyond(key, value, true)];

/** The positions of entries in lists by cursors. */
export const cursorPositions = {
  find: findPosition,
  encode: encodePosition,
  decode: decodePosition,
  foreign: foreignCursor,
  of: positionOf,
};
