import type { Document } from 'mongodb';
import { readAll } from '../database.js';
import { compileLinked, type Group, restOrder } from './compile-linked.js';
import { isById } from './compile-page.js';
import { forParts } from './linked-parts.js';
import { mostSkipped, type Walk } from './plan-walk.js';
import { groupByValue, readChunk, readLoneTargets } from './sorted-targets.js';

/** Maximum number of targets that are read, and whose entries are counted, by one command. */
const atMost = 5_000;

/** The part of the list that is still to be read. */
interface Remaining {
  /** Number of entries before the part. */
  readonly skip: number;
  readonly limit: number;
}

/**
 * Reads a page far from the beginning of a list that is sorted by a value of linked entries, the targets, where each entry has
 * one. Counts the entries of each target by the index of the link, until the page begins. In a list without a filter this reads no
 * documents. Returns null if there are too many targets.
 */
export async function skipTargets(planned: Walk): Promise<readonly Document[] | null> {
  const walk = { ...planned, database: forParts(planned.database) };
  const { key, page } = walk;
  const found: Document[] = [];
  const passed: unknown[] = [];
  let left: Remaining = { skip: page.window.skip, limit: page.window.limit ?? 0 };
  let lone = key.order === 1 ? await readLoneTargets(walk) : [];
  for (let [done, size] = [0, walk.atOnce]; left.limit > 0 && lone !== null; size *= 2) {
    const chunk = await readChunk(walk, { skip: done, size: Math.min(size, atMost), most: atMost });
    if (chunk === null || done + chunk.count > mostSkipped) return null;
    const groups = groupByValue([...lone, ...chunk.targets]);
    if (groups.length === 0) return [...found, ...(await readPart(walk, { [walk.step.path]: { $nin: passed } }, left))];
    const counted = cutGroups(groups, await countEntries(walk, groups.flat()), left);
    found.push(...(await readGroups(walk, counted)));
    left = counted.left;
    passed.push(...groups.flat());
    done += chunk.count;
    lone = [];
  }
  return lone && found;
}

/**
 * Returns the number of entries of the page's list that are linked with each of some targets. Those without a link are counted
 * separately, because an index cannot tell null from a missing value.
 */
async function countEntries({ page, step, database }: Walk, ids: Group): Promise<ReadonlyMap<unknown, number>> {
  const linked = ids.filter((id) => id !== null);
  const counted = await Promise.all(
    [linked, ...(linked.length < ids.length ? [[null]] : [])].map(($in) => {
      const $match = { $and: [page.match, { [step.path]: { $in } }] };
      const pipeline = [{ $match }, { $group: { _id: `$${step.path}`, entries: { $sum: 1 } } }];
      return readAll(database, { aggregate: page.collection, pipeline, cursor: { batchSize: atMost } });
    }),
  );
  return new Map(counted.flat().map(({ _id, entries }) => [_id as unknown, Number(entries)]));
}

/** The groups that have entries of a page. */
interface CutGroups {
  readonly groups: readonly Group[];
  /** Number of entries of the first group that are before the page. */
  readonly skip: number;
  readonly limit: number;
  /** What is left to read after these groups. */
  readonly left: Remaining;
}

/** Returns the groups whose entries are on the page. */
function cutGroups(all: readonly Group[], counts: ReadonlyMap<unknown, number>, { skip, limit }: Remaining): CutGroups {
  const groups: Group[] = [];
  let [before, end, first] = [0, 0, 0];
  for (const group of all) {
    const size = group.reduce<number>((sum, id) => sum + (counts.get(id) ?? 0), 0);
    before = end;
    end += size;
    if (size === 0 || end <= skip || before >= skip + limit) continue;
    if (groups.length === 0) first = Math.max(skip - before, 0);
    groups.push(group);
  }
  const read = Math.max(Math.min(end, skip + limit) - skip, 0);
  return { groups, skip: first, limit, left: { skip: Math.max(skip - end, 0), limit: limit - read } };
}

/** Reads the entries of groups in the order of the groups. */
async function readGroups(walk: Walk, { groups: [first, ...others], skip, limit }: CutGroups): Promise<readonly Document[]> {
  if (first === undefined) return [];
  const found = await readPart(walk, { [walk.step.path]: { $in: first } }, { skip, limit });
  const left = limit - found.length;
  if (others.length === 0 || left <= 0) return found;
  return [...found, ...(await readAll(walk.database, compileLinked(walk, { groups: others, before: [], limit: left })))];
}

/**
 * Reads a part of the entries that meet a further condition, sorted as entries with the same value. If they are sorted by their
 * ids, the ids are read first, because indexes of links contain them.
 */
async function readPart(
  { page, rest, key, database }: Walk,
  condition: Document,
  { skip, limit }: Remaining,
): Promise<readonly Document[]> {
  const { collection, projection } = page;
  const filter = { $and: [page.match, condition] };
  const part = { find: collection, filter, sort: restOrder(rest, key), ...(skip > 0 && { skip }), limit };
  if (skip === 0 || !rest.every(isById)) return readAll(database, { ...part, projection });
  const ids = (await readAll(database, { ...part, projection: { _id: 1 } })).map(({ _id }) => _id as unknown);
  return readAll(database, {
    find: collection,
    filter: { $and: [{ _id: { $in: ids } }, filter] },
    hint: '_id_',
    sort: restOrder(rest, key),
    projection,
  });
}
