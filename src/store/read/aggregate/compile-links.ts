import type { Document } from 'mongodb';
import type { LinkSource } from '#model/query/aggregate/aggregation.js';
import type { Condition } from '#model/query/plan.js';
import type { Database } from '../../send/database.js';
import { asScanned } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { asList, compileCondition } from '../compile-condition.js';
import { resolveOrJoin, stagesOf } from '../resolve-related.js';

/** A relation of a group: an expression for the id of the related entry, or null, and the stages before it. */
export interface CompiledLink {
  readonly stages: readonly Document[];
  readonly value: unknown;
}

/** Hidden entries are left out by their ids if there are at most so many; otherwise the visible ones are joined. */
const maxHidden = 1_000;

/**
 * Compiles a relation by which entries are grouped, or whose entries are counted. An entry with several related entries becomes several
 * documents. One without any that are visible stays one, with null. `as` is a field for joined entries.
 */
export async function compileLink(
  { link, path, target, visible }: LinkSource,
  as: string,
  database: Database,
): Promise<CompiledLink> {
  if (link.dangling) return { stages: [], value: null };
  const { storage } = link;
  const hidden = storage.kind === 'own' ? await findHidden(target.collection, visible, database) : null;
  if (hidden === null) {
    const pipeline = [...(visible === null ? [] : await stagesOf(visible, database)), { $project: { _id: 1 } }];
    const fields =
      storage.kind === 'inverse' ? { localField: '_id', foreignField: storage.field } : { localField: path, foreignField: '_id' };
    return {
      stages: [{ $lookup: { from: target.collection, ...fields, pipeline, as } }, unwind(as)],
      value: orNull(`$${as}._id`),
    };
  }
  const value = `$${path}`;
  if (link.many) {
    const seen = { $set: { [path]: { $setDifference: [asList(value), hidden] } } };
    return { stages: [seen, unwind(path)], value: orNull(value) };
  }
  return { stages: [], value: hidden.length === 0 ? orNull(value) : { $cond: [{ $in: [value, hidden] }, null, orNull(value)] } };
}

/** Returns an expression for a value; null if there is none. */
const orNull = (value: string): Document => ({ $ifNull: [value, null] });

const unwind = (path: string): Document => ({ $unwind: { path: `$${path}`, preserveNullAndEmptyArrays: true } });

/** Returns the ids of the entries that do not meet a condition; null if they are many, or the condition needs joins. */
async function findHidden(collection: string, visible: Condition | null, database: Database): Promise<readonly unknown[] | null> {
  if (visible === null) return [];
  const { resolved, joins } = await resolveOrJoin(visible, database);
  if (joins.length > 0) return null;
  const filter = { $nor: [compileCondition(visible, resolved)] };
  const command = { find: collection, filter, projection: { _id: 1 }, limit: maxHidden + 1, batchSize: maxHidden + 1 };
  const rows = await readAll(asScanned(database), command);
  return rows.length > maxHidden ? null : rows.map(({ _id }) => _id as unknown);
}
