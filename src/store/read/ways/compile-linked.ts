import type { Document } from 'mongodb';
import type { SortKey } from '#model/query/plan.js';
import { asList } from '../compile-condition.js';
import { matchBoth, compileOrder, isById, type Page } from '../compile-page.js';
import type { Database } from '../../send/database.js';

/** A page that is sorted by a value of linked entries, the targets. */
export interface Walk {
  readonly page: Page;
  readonly key: SortKey;
  /** The further sort keys. */
  readonly rest: readonly SortKey[];
  /** The link of the entries. */
  readonly step: SortKey['links'][number];
  readonly database: Database;
  /** The number of entries up to the end of the page. */
  readonly pageEnd: number;
  /** Number of targets that is likely to lead to enough entries. */
  readonly batchSize: number;
}

/** The ids of targets with the same value; null stands for none. */
export type Group = readonly unknown[];

/** Entries that are read by one command. */
interface Linked {
  readonly groups: readonly Group[];
  /** Ids of targets before these groups. */
  readonly before: readonly unknown[];
  readonly limit: number;
}

/**
 * Maximum number of groups that are read one after the other. The server takes 0.1 ms for each, even if it reads nothing of it.
 */
const mostParts = 5;

/** Returns the command that reads the entries of some groups in the order of the groups. It is a `find` if possible. */
export function compileLinkedEntries(walk: Walk, linked: Linked): Document {
  const { groups, before, limit } = linked;
  const { collection, projection } = walk.page;
  const sort = findOrder(walk, groups);
  if (sort === null) return { aggregate: collection, pipeline: compileUnion(walk, linked) };
  const filters = groups.map((group) => compileMatch(walk, group, before));
  const filter = filters.length === 1 ? filters[0] : { $or: filters };
  return { find: collection, filter, sort, projection, limit };
}

/**
 * Returns the sort of a `find` that reads the groups in their order; null if a union is needed. A `find` is possible for a single
 * group, and for a few groups of one id each whose ids ascend or descend. It takes 0.6 of the time of a union. It is not used
 * where it would read all entries of the groups: without another condition, because the server then merges the groups, and with a
 * sort by other attributes.
 */
function findOrder(walk: Walk, groups: readonly Group[]): Document | null {
  const { page, step, rest } = walk;
  const order = restOrder(walk);
  if (groups.length === 1) return order;
  if (groups.length > mostParts || step.link.many) return null;
  const direction = directionOf(groups);
  const readsAll = Object.keys(page.match).length === 0 || !rest.every(isById);
  return direction === null || readsAll ? null : { [step.path]: direction, ...order };
}

/** Returns 1 if each group is one id and the ids ascend, -1 if they descend, otherwise null. Null counts as the least id. */
function directionOf(groups: readonly Group[]): 1 | -1 | null {
  const ids = groups.map(([id = null, ...more]) => (more.length > 0 ? NaN : id === null ? -Infinity : id));
  const isSorted = (order: 1 | -1): boolean =>
    ids.slice(1).every((id, index) => typeof id === 'number' && order * (id - Number(ids[index])) > 0);
  return isSorted(1) ? 1 : isSorted(-1) ? -1 : null;
}

/**
 * Returns the stages that read the groups one after the other. If there are many, only the first one, which may be that of
 * entries without a target, is read separately. The entries of all other groups are read together and sorted by group.
 */
function compileUnion(walk: Walk, { groups, before, limit }: Linked): Document[] {
  const parts = groups.length <= mostParts ? groups.map((group) => [group]) : [groups.slice(0, 1), groups.slice(1)];
  const [first = [], ...more] = parts.map((part, at) =>
    compilePart(walk, { groups: part, before: [...before, ...parts.slice(0, at).flat(2)], limit }),
  );
  return [...first, ...more.map((pipeline) => ({ $unionWith: { coll: walk.page.collection, pipeline } })), { $limit: limit }];
}

/** Returns the stages that read the entries of some groups in the order of the groups. */
function compilePart(walk: Walk, { groups, before, limit }: Linked): Document[] {
  const { page, step } = walk;
  const isRanked = groups.length > 1;
  return [
    { $match: compileMatch(walk, groups.flat(), before) },
    ...(isRanked ? [{ $set: { _rank: rankOf(step.path, groups, step.link.many) } }] : []),
    { $sort: { ...(isRanked && { _rank: 1 }), ...restOrder(walk) } },
    { $limit: limit },
    { $project: page.projection },
  ];
}

/** Returns a match for the entries that are linked with some targets, but with none of the targets before. */
function compileMatch({ page, step }: Walk, ids: Group, before: readonly unknown[]): Document {
  const { path, link } = step;
  const mayComeAgain = link.many && before.length > 0;
  return { $and: [page.match, { [path]: { $in: ids } }, ...(mayComeAgain ? [{ [path]: { $nin: before } }] : [])] };
}

/** Returns an expression for the index of the first group that an entry is linked with. */
function rankOf(path: string, groups: readonly Group[], isList: boolean): Document {
  const ranks = new Map<unknown, number>();
  for (const [rank, ids] of groups.entries()) for (const id of ids) if (!ranks.has(id)) ranks.set(id, rank);
  const ids = [...ranks.keys()];
  const rank = (id: string): Document => ({ $arrayElemAt: [[...ranks.values()], { $indexOfArray: [ids, id] }] });
  const linked = { $setIntersection: [asList(`$${path}`), ids] };
  return isList ? { $min: { $map: { input: linked, in: rank('$$this') } } } : rank(`$${path}`);
}

/** Returns the page of entries whose targets have the same value, which the further keys sort. */
export const restOf = ({ page, rest, key }: Walk): Page => ({
  ...page,
  sort: rest.length > 0 ? rest : [{ links: [], path: '_id', lists: [], order: key.order }],
});

/** Returns the sort of entries whose targets have the same value. */
const restOrder = (walk: Walk): Document => compileOrder(restOf(walk));

/** Returns the command that reads the entries that are linked with none of some targets. */
export function compileUnlinked(walk: Walk, { before, limit }: Omit<Linked, 'groups'>, seek: Document = {}): Document {
  const { page, step } = walk;
  const filter = matchBoth(matchBoth(page.match, { [step.path]: { $nin: before } }), seek);
  return { find: page.collection, filter, sort: restOrder(walk), projection: page.projection, limit };
}
