import type { Document } from 'mongodb';
import type { Plan } from '../../query/plan.js';
import { readAll } from '../database.js';
import { notNull } from './compile-condition.js';
import { compileLinked, type Group, restOrder } from './compile-linked.js';
import type { Page } from './compile-page.js';
import { mostTargets, planWalk, type Walk, type WalkContext } from './plan-walk.js';
import { skipTargets } from './skip-targets.js';
import { groupByValue, readChunk, readLoneTargets, readTargets } from './sorted-targets.js';

/** Maximum number of targets that are read by one command. */
const mostAtOnce = 500;

/** The result so far: the first documents of the list, and the ids by which they were found. */
interface Walked {
  readonly documents: readonly Document[];
  readonly ids: readonly unknown[];
}

/**
 * Reads a page that is sorted by a value of linked entries, the targets. Reads the targets in their order, and then the entries
 * that are linked with the first targets, as many as the page needs. Joining and sorting all entries would take a second for
 * 100,000 entries. If an entry is linked with several targets, the first one counts. Entries without a target come first, in
 * descending order last. Entries whose target does not exist come last, whereas joining puts them first in ascending order.
 * Returns null if joining is better: there are few entries, few meet the filter, or the page is far from the beginning and entries
 * may have several targets.
 */
export async function walkTargets(plan: Plan, page: Page, context: WalkContext): Promise<readonly Document[] | null> {
  const { skip, limit } = page.window;
  const walk = await planWalk(plan, page, context);
  if (walk?.isFar === true) return skipTargets(walk);
  const walked = walk === null ? null : await walkAll(walk, skip + (limit ?? 0));
  return walked?.slice(skip, skip + (limit ?? 0)) ?? null;
}

async function walkAll(walk: Walk, wanted: number): Promise<readonly Document[] | null> {
  const { key, step, atOnce, max } = walk;
  const isOwn = step.link.storage.kind === 'own';
  let walked = key.order === 1 && !isOwn ? await readLone(walk, wanted) : nothing;
  let lone = key.order === 1 && isOwn ? await readLoneTargets(walk) : [];
  for (
    let [done, size] = [0, atOnce];
    walked !== null && walked.documents.length < wanted;
    size = Math.min(2 * size, mostAtOnce)
  ) {
    const chunk = await readChunk(walk, { skip: done, size, most: mostAtOnce });
    if (lone === null || chunk === null || done + chunk.count > max) return null;
    const groups = groupByValue([...lone, ...chunk.targets]);
    const left = wanted - walked.documents.length;
    if (groups.length === 0) return [...walked.documents, ...(await readLeft(walk, walked, left))];
    walked = await readLinked(walk, { groups, walked, limit: left });
    lone = [];
    done += chunk.count;
  }
  return walked?.documents ?? null;
}

const nothing: Walked = { documents: [], ids: [] };

/**
 * Returns the entries that no target with a value links to, if the targets store the links; null if there are too many targets.
 */
async function readLone(walk: Walk, limit: number): Promise<Walked | null> {
  const empty = await readTargets(walk, { match: { [walk.key.path]: null }, skip: 0, limit: mostAtOnce });
  const owners = empty.length === mostAtOnce ? null : await readOwners(walk);
  if (owners === null) return null;
  const ids = empty.flatMap((target) => target.ids);
  const known = new Set(ids);
  const filled = owners.filter((owner) => !known.has(owner));
  return { documents: await readWhere(walk, { _id: { $nin: filled } }, limit), ids };
}

/** Returns the ids of the entries that some target links to; null if there are too many. */
async function readOwners({ step, database }: Walk): Promise<readonly unknown[] | null> {
  const { storage } = step.link;
  if (storage.kind !== 'inverse') return null;
  const { field } = storage;
  const pipeline = [{ $match: { [field]: notNull.link } }, { $group: { _id: `$${field}` } }, { $limit: mostTargets + 1 }];
  const rows = await readAll(database, { aggregate: step.target.collection, pipeline, cursor: {} });
  return rows.length > mostTargets ? null : rows.map(({ _id }) => _id as unknown);
}

/** Reads the entries that come after all entries whose target has a value. */
async function readLeft(walk: Walk, { ids }: Walked, limit: number): Promise<readonly Document[]> {
  const { step, key } = walk;
  if (step.link.storage.kind === 'own') return readWhere(walk, { [step.path]: { $nin: ids } }, limit);
  return key.order === 1 ? [] : readWhere(walk, { _id: { $nin: ids } }, limit);
}

interface Linking {
  readonly groups: readonly Group[];
  readonly walked: Walked;
  readonly limit: number;
}

/** Adds the entries that are linked with some targets but with none of the targets before, in the order of the targets. */
async function readLinked(walk: Walk, { groups, walked, limit }: Linking): Promise<Walked> {
  const found = await readAll(walk.database, compileLinked(walk, { groups, before: walked.ids, limit }));
  return { documents: [...walked.documents, ...found], ids: [...walked.ids, ...groups.flat()] };
}

/** Reads entries of the page that meet a further condition, sorted as entries with the same value. */
function readWhere({ page, rest, key, database }: Walk, condition: Document, limit: number): Promise<readonly Document[]> {
  const filter = { $and: [page.match, condition] };
  const { collection, projection } = page;
  return readAll(database, { find: collection, filter, sort: restOrder(rest, key), projection, limit });
}
