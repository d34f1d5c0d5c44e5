import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { type Plan, type SortKey, type Window } from '#model/query/plan.js';
import type { Position } from '#model/query/bound-cursors.js';
import { countDocuments, readAll } from '../../send/read-commands.js';
import { estimateSize, fewEntries, linksOfEntry } from '../collection-facts.js';
import { matchBoth, compileOrder, sortsByComputed } from '../compile-page.js';
import { compileBeyond, compileSeek } from './page-of.js';
import { compileLinkedEntries, compileUnlinked, type Group, restOf, type Walk } from './compile-linked.js';
import type { Facts, Way } from './way.js';
import { lookUpEntries } from './linked-ids.js';

/** Maximum number of targets that are read for one page. */
const mostTargets = 10_000;

/**
 * Reads the first pages of a list that is sorted by a value of linked entries, the targets: reads the targets in their order, and
 * then the entries that are linked with the first targets, as many as the page needs. Joining and sorting all entries would take
 * a second for 100,000 entries. If an entry is linked with several targets, the first one counts. Entries without a target come
 * first, in descending order last. Entries whose target does not exist come last, whereas joining puts them first in ascending
 * order. Joining is better if there are few entries, or few meet the filter.
 */
export const sortedTargets: Way = {
  name: 'sorted targets',
  fits: ({ sort, window, pagination }, { database }) =>
    pagination.kind !== 'cursor' && walkedKey(sort, window) !== null && database.session === null,
  read: async (plan, facts) => {
    const walk = await planWalk(plan, facts);
    const documents = walk && (await walkAll(walk));
    return documents && { documents: documents.slice(walk.page.window.skip) };
  },
};

/**
 * Returns the first sort key, whose targets can be walked for a page; null if they cannot. The entries must store the link,
 * outside of lists of components.
 */
export function walkedKey(
  [key, ...rest]: readonly SortKey[],
  { skip, limit }: Window,
): Pick<Walk, 'key' | 'rest' | 'step' | 'pageEnd'> | null {
  const [step, further] = key?.links ?? [];
  if (key === undefined || step === undefined || further !== undefined || limit === null || skip + limit > fewEntries)
    return null;
  const isOwn = step.link.storage.kind === 'own' && !step.inList;
  return isOwn && key.lists.length === 0 && !sortsByComputed(rest) ? { key, rest, step, pageEnd: skip + limit } : null;
}

/** Returns how to walk over the targets; null if joining all entries is better. */
async function planWalk({ type, isWhole, withTotal }: Plan, facts: Facts): Promise<Walk | null> {
  const { database } = facts;
  const page = await facts.page();
  const walked = walkedKey(page.sort, page.window);
  // each command would repeat the full-text search, which MongoDB does not allow within an $or
  if (walked === null || (page.rank ?? null) !== null) return null;
  const { pageEnd, step } = walked;
  const [entries, targets] = await Promise.all([type, step.target].map((one) => estimateSize(one, database)));
  if (entries === undefined || targets === undefined || entries <= fewEntries) return null;
  // walking reads about wanted × entries / matches entries, joining reads all matches
  const worth = Math.ceil(Math.sqrt(Math.min(pageEnd, entries) * entries));
  const count = () =>
    withTotal ? facts.count() : countDocuments(page.collection, database, { query: page.match, limit: worth });
  const matches = (await facts.cachedTotal()) ?? (isWhole ? entries : await count());
  const links = matches * (step.link.many ? linksOfEntry : 1);
  const atOnce = Math.ceil((pageEnd * targets) / Math.max(links, 1) + 0.5);
  return matches < worth || atOnce > mostTargets ? null : { ...walked, page, database, batchSize: atOnce };
}

/** Returns the first `wanted` entries of a list; null if too many targets would be read for them. */
async function walkAll(walk: Walk): Promise<readonly Document[] | null> {
  const { key, step, pageEnd, batchSize, database } = walk;
  let documents: readonly Document[] = [];
  let before: readonly unknown[] = [];
  let lone: readonly Target[] = key.order === 1 ? [{ ids: [null, ...(step.link.many ? [[]] : [])], value: null }] : [];
  for (let [done, size] = [0, batchSize]; documents.length < pageEnd; size = Math.min(2 * size, fewEntries)) {
    const chunk = await readChunk(walk, done, size);
    if (chunk === null || done + chunk.length > mostTargets) return null;
    const groups = groupByValue([...lone, ...chunk]);
    const linked = { groups, before, limit: pageEnd - documents.length };
    const isEnd = groups.length === 0; // the other entries are linked with no target, or one without a value
    documents = [...documents, ...(await readAll(database, (isEnd ? compileUnlinked : compileLinkedEntries)(walk, linked)))];
    if (isEnd) break;
    before = [...before, ...groups.flat()];
    lone = [];
    done += chunk.length;
  }
  return documents;
}

/** A target: the ids that entries linked with it store, and the value that they are sorted by. */
interface Target {
  readonly ids: readonly unknown[];
  readonly value: unknown;
}

/**
 * Returns the next targets. Targets without a value are included only if they come first. Targets with the same value are not
 * split, because the further sort keys order their entries; null if there are too many of them.
 */
async function readChunk(walk: Walk, skip: number, size: number): Promise<readonly Target[] | null> {
  const { key, step, database } = walk;
  const rows = await readAll(database, {
    find: step.target.collection,
    filter: key.order === 1 ? {} : { [key.path]: { $ne: null } },
    sort: { [key.path]: key.order, _id: key.order },
    projection: { value: `$${key.path}` },
    ...(skip > 0 && { skip }),
    limit: size + 1,
    batchSize: size + 2,
  });
  const targets = rows.map(({ _id, value }): Target => ({ ids: [_id], value: (value as unknown) ?? null }));
  const last = targets.at(-1)?.value;
  const whole = targets.length <= size ? targets : targets.filter(({ value }) => !isDeepStrictEqual(value, last));
  if (whole.length > 0 || targets.length === 0) return whole;
  return size < fewEntries ? readChunk(walk, skip, Math.min(2 * size, fewEntries)) : null;
}

/** Returns the ids of targets in their order, in one group for each value. */
function groupByValue(targets: readonly Target[]): readonly Group[] {
  const groups: unknown[][] = [];
  for (const [index, { ids, value }] of targets.entries()) {
    const group = index > 0 && isDeepStrictEqual(value, targets[index - 1]?.value) ? groups.at(-1) : undefined;
    if (group === undefined) groups.push([...ids]);
    else group.push(...ids);
  }
  return groups;
}

/**
 * Reads a page by cursors of a list that is sorted by a value of one linked entry, the target: takes the targets from the value of the
 * cursor on, one group for each value, and looks up their entries until the page is full. Entries without a value come first, in
 * descending order last. The order is that of joining all entries, so that each page may be read in either way.
 */
export const seekTargets: Way = {
  name: 'targets from a cursor',
  fits: ({ sort, window, pagination }, { database }) =>
    pagination.kind === 'cursor' && database.session === null && walkedKey(sort, window)?.step.link.many === false,
  read: async (plan, facts) => {
    const walk = await planWalk(plan, facts);
    if (walk === null || (await estimateSize(walk.step.target, facts.database)) > mostTargets) return null;
    return { documents: await readSides(walk, startOf(plan)) };
  },
};

/** The position at which a page begins, and whether the entry there is read too. */
interface Start extends Position {
  readonly isIncluded: boolean;
}

const startOf = ({ pagination }: Plan): Start | null =>
  pagination.kind === 'cursor' && pagination.from !== null ? { ...pagination.from, isIncluded: pagination.looksBack } : null;

/** Entries of one side: those with a value of a target, or those without. `from` is in this side, or null. */
type ReadSide = (walk: Walk, from: Start | null, limit: number) => Promise<readonly Document[]>;

/** Reads the side that the position is in, and the one behind it if the page is not full. */
async function readSides(walk: Walk, from: Start | null): Promise<readonly Document[]> {
  const sides: readonly ReadSide[] = orderOf(walk) > 0 ? [readWithout, readWith] : [readWith, readWithout];
  const own = (from?.values[0] ?? null) === null ? readWithout : readWith;
  const limit = walk.page.window.limit ?? 0; // the way fits pages with a limit
  const documents: Document[] = [];
  for (const side of from === null ? sides : sides.slice(sides.indexOf(own)))
    if (documents.length < limit) documents.push(...(await side(walk, side === own ? from : null, limit - documents.length)));
  return documents;
}

const orderOf = ({ key, page }: Walk): number => (page.backwards === true ? -key.order : key.order);

const restSeek = (walk: Walk, { values, id, isIncluded }: Start): Document =>
  compileSeek(restOf(walk), { values: values.slice(1), id }, isIncluded);

/** Reads entries that have no target, or one without a value, or one that does not exist. */
async function readWithout(walk: Walk, from: Start | null, limit: number): Promise<readonly Document[]> {
  const { key, step, database } = walk;
  const filter = { [key.path]: { $ne: null } };
  const command = { find: step.target.collection, filter, projection: { _id: 1 }, batchSize: mostTargets + 1 };
  const before = (await readAll(database, command)).map(({ _id }) => _id as unknown);
  return readAll(database, compileUnlinked(walk, { before, limit }, from === null ? {} : restSeek(walk, from)));
}

function readWith(walk: Walk, from: Start | null, limit: number): Promise<readonly Document[]> {
  const { page, key, step, database } = walk;
  const order = orderOf(walk);
  const value = from?.values[0] ?? null;
  const behind =
    from === null ? [] : [{ $match: { $or: [{ $expr: { $ne: ['$$value', { $literal: value }] } }, restSeek(walk, from)] } }];
  const entries = [
    { $match: page.match },
    ...behind,
    { $set: { _sort0: '$$value' } },
    { $sort: compileOrder(restOf(walk)) },
    { $limit: limit },
    { $project: page.projection },
  ];
  const pipeline = [
    { $match: matchBoth({ [key.path]: { $ne: null } }, value === null ? {} : compileBeyond([key.path, order], value, true)) },
    { $group: { _id: `$${key.path}`, ids: { $push: '$_id' } } },
    { $sort: { _id: order } },
    ...lookUpEntries({ from: page.collection, foreignField: step.path, let: { value: '$_id' }, pipeline: entries }),
    { $limit: limit },
  ];
  return readAll(database, { aggregate: step.target.collection, pipeline });
}
