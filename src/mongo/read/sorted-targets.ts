import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { storedIds } from '../../schema/link-input.js';
import { readAll } from '../database.js';
import type { Group } from './compile-linked.js';
import type { Walk } from './plan-walk.js';

/** Maximum number of entries between the targets and the entries of the page that are read for some targets. */
const mostBetween = 2_000;

/** The options of a command that reads them. */
const between = { limit: mostBetween + 1, batchSize: mostBetween + 2 };

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

/** Returns the entries that the last link of a walk leads to, in the order of their values. */
export async function readTargets(
  { step, further, key, database }: Walk,
  { match, skip, limit }: TargetRange,
): Promise<readonly Target[]> {
  const { link, target } = further.at(-1) ?? step;
  const sort = { [key.path]: key.order, _id: key.order };
  const owner = link.storage.kind === 'inverse' ? { owner: `$${link.storage.field}` } : {};
  const projection = { value: `$${key.path}`, ...owner };
  const command = {
    find: target.collection,
    filter: match,
    sort,
    projection,
    ...(skip > 0 && { skip }),
    limit,
    batchSize: limit + 1,
  };
  const rows = await readAll(database, command);
  return rows.map(({ _id, value, owner }) => ({
    ids: link.storage.kind === 'own' ? [_id] : storedIds(owner),
    value: (value as unknown) ?? null,
  }));
}

interface ChunkRange {
  readonly skip: number;
  readonly size: number;
  /** Maximum number of targets. */
  readonly most: number;
}

/** Targets that are read together. */
interface Chunk {
  readonly targets: readonly Target[];
  /** The number of targets in their own collection. */
  readonly count: number;
}

/**
 * Returns the next targets. Targets without a value are included only if they come first and do not store the links. Targets with
 * the same value are not split, because the further sort keys order their entries; null if there are too many of them.
 */
export async function readChunk(walk: Walk, { skip, size, most }: ChunkRange): Promise<Chunk | null> {
  const { key, step } = walk;
  const match = step.link.storage.kind === 'own' && key.order === 1 ? {} : { [key.path]: { $ne: null } };
  const targets = await readTargets(walk, { match, skip, limit: size + 1 });
  const last = targets.at(-1)?.value;
  const whole = targets.length <= size ? targets : targets.filter(({ value }) => !isDeepStrictEqual(value, last));
  if (whole.length === 0 && targets.length > 0)
    return size < most ? readChunk(walk, { skip, size: Math.min(2 * size, most), most }) : null;
  const linked = await followBack(walk, whole, walk.further.length);
  return linked && { targets: linked, count: whole.length };
}

/**
 * Returns targets with the ids of the entries that lead to them by some of the further links; null if these are too many.
 */
async function followBack(
  { step, further, database }: Walk,
  targets: readonly Target[],
  links: number,
): Promise<readonly Target[] | null> {
  let found = targets;
  for (const [index, { path }] of [...further.slice(0, links).entries()].reverse()) {
    const { collection } = (further[index - 1] ?? step).target;
    const filter = { [path]: { $in: found.flatMap(({ ids }) => ids) } };
    const rows = await readAll(database, { find: collection, filter, projection: { link: `$${path}` }, ...between });
    if (rows.length > mostBetween) return null;
    const holders = new Map<unknown, unknown[]>();
    for (const { _id, link } of rows) {
      const known = holders.get(link);
      if (known === undefined) holders.set(link, [_id]);
      else known.push(_id);
    }
    found = found.map(({ ids, value }) => ({ ids: ids.flatMap((id) => holders.get(id) ?? []), value }));
  }
  return found;
}

/**
 * Returns targets for the entries whose links end before a target, which are sorted like entries whose target has no value; null
 * if there are too many.
 */
export async function readLoneTargets(walk: Walk): Promise<readonly Target[] | null> {
  const { step, further, database } = walk;
  const lone: Target[] = [{ ids: [null, ...(step.link.many ? [[]] : [])], value: null }];
  for (const [index, { path }] of further.entries()) {
    const { collection } = (further[index - 1] ?? step).target;
    const rows = await readAll(database, {
      find: collection,
      filter: { [path]: null },
      projection: { _id: 1 },
      ...between,
    });
    if (rows.length > mostBetween) return null;
    const found = await followBack(walk, [{ ids: rows.map(({ _id }) => _id as unknown), value: null }], index);
    if (found === null) return null;
    lone.push(...found);
  }
  return lone;
}

/** Returns the ids of targets in their order, in one group for each value. */
export function groupByValue(targets: readonly Target[]): readonly Group[] {
  const groups: unknown[][] = [];
  for (const [index, { ids, value }] of targets.entries()) {
    const group = index > 0 && isDeepStrictEqual(value, targets[index - 1]?.value) ? groups.at(-1) : undefined;
    if (group === undefined) groups.push([...ids]);
    else group.push(...ids);
  }
  return groups;
}
