import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import type { Plan } from '../../query/plan.js';
import { type Database, readAll } from '../database.js';
import { notNull } from './compile-condition.js';
import { compileLinked, type Group, restOrder } from './compile-linked.js';
import type { Page } from './compile-page.js';
import { mostTargets, planWalk, type Walk } from './plan-walk.js';

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
 * descending order last. Entries whose target was deleted come last. Returns null if joining is better: there are few entries,
 * few meet the filter, or the page is far from the beginning.
 */
export async function walkTargets(plan: Plan, page: Page, database: Database): Promise<readonly Document[] | null> {
  const { skip, limit } = page.window;
  const walk = await planWalk(plan, page, database);
  const walked = walk === null ? null : await walkAll(walk, skip + (limit ?? 0));
  return walked?.slice(skip, skip + (limit ?? 0)) ?? null;
}

async function walkAll(walk: Walk, wanted: number): Promise<readonly Document[] | null> {
  const { key, step, atOnce, max } = walk;
  const isOwn = step.link.storage.kind === 'own';
  let walked = key.order === 1 && !isOwn ? await readLone(walk, wanted) : nothing;
  let lone = key.order === 1 && isOwn ? [linksToNothing(step)] : [];
  for (
    let [done, size] = [0, atOnce];
    walked !== null && walked.documents.length < wanted;
    size = Math.min(2 * size, mostAtOnce)
  ) {
    const chunk = await readChunk(walk, done, size);
    if (chunk === null || done + chunk.length > max) return null;
    const groups = groupByValue([...lone, ...chunk]);
    const left = wanted - walked.documents.length;
    if (groups.length === 0) return [...walked.documents, ...(await readLeft(walk, walked, left))];
    walked = await readLinked(walk, { groups, walked, limit: left });
    lone = [];
    done += chunk.length;
  }
  return walked?.documents ?? null;
}

const nothing: Walked = { documents: [], ids: [] };

/** Returns a target for entries without links, which are sorted like entries whose target has no value. */
const linksToNothing = ({ link }: Walk['step']): Target => ({ ids: [null, ...(link.many ? [[]] : [])], value: null });

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

/** A target: the ids that find the entries linked with it, and the value that they are sorted by. */
interface Target {
  readonly ids: readonly unknown[];
  readonly value: unknown;
}

interface TargetRange {
  readonly match: Document;
  readonly skip: number;
  readonly limit: number;
}

async function readTargets({ step, key, database }: Walk, { match, skip, limit }: TargetRange): Promise<readonly Target[]> {
  const sort = { [key.path]: key.order, _id: key.order };
  const { storage } = step.link;
  const projection = { value: `$${key.path}`, ...(storage.kind === 'inverse' && { owner: `$${storage.field}` }) };
  const command = { find: step.target.collection, filter: match, sort, projection, ...(skip > 0 && { skip }), limit };
  const rows = await readAll(database, command);
  return rows.map(({ _id, value, owner }) => ({
    ids: storage.kind === 'own' ? [_id] : ownersIn(owner),
    value: (value as unknown) ?? null,
  }));
}

/** Returns the ids of the entries that a target links to: one, several or none. */
const ownersIn = (owner: unknown): readonly unknown[] =>
  Array.isArray(owner) ? owner : owner === null || owner === undefined ? [] : [owner];

/**
 * Returns the next targets. Targets without a value are included only if they come first and do not store the links. Targets with
 * the same value are not split, because the further sort keys order their entries; null if there are too many of them.
 */
async function readChunk(walk: Walk, skip: number, size: number): Promise<readonly Target[] | null> {
  const { key, step } = walk;
  const match = step.link.storage.kind === 'own' && key.order === 1 ? {} : { [key.path]: { $ne: null } };
  const targets = await readTargets(walk, { match, skip, limit: size + 1 });
  if (targets.length <= size) return targets;
  const last = targets.at(-1)?.value;
  const whole = targets.filter(({ value }) => !isDeepStrictEqual(value, last));
  if (whole.length > 0) return whole;
  return size < mostAtOnce ? readChunk(walk, skip, Math.min(2 * size, mostAtOnce)) : null;
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

interface Chunk {
  readonly groups: readonly Group[];
  readonly walked: Walked;
  readonly limit: number;
}

/** Adds the entries that are linked with some targets but with none of the targets before, in the order of the targets. */
async function readLinked(walk: Walk, { groups, walked, limit }: Chunk): Promise<Walked> {
  const found = await readAll(walk.database, compileLinked(walk, { groups, before: walked.ids, limit }));
  return { documents: [...walked.documents, ...found], ids: [...walked.ids, ...groups.flat()] };
}

/** Reads entries of the page that meet a further condition, sorted as entries with the same value. */
function readWhere({ page, rest, key, database }: Walk, condition: Document, limit: number): Promise<readonly Document[]> {
  const filter = { $and: [page.match, condition] };
  const { collection, projection } = page;
  return readAll(database, { find: collection, filter, sort: restOrder(rest, key), projection, limit });
}
