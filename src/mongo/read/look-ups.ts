import type { Document } from 'mongodb';
import { type Database, readAll } from '../database.js';

/** Ids of one collection that are looked for. */
export interface Targets {
  readonly collection: string;
  readonly ids: readonly number[];
  /** The match that documents must meet to count. */
  readonly filter?: Document;
}

/**
 * Returns how many of the ids exist, for each collection in turn. Sends one command for all; in a transaction, which does not allow
 * `$unionWith`, one for each.
 */
export async function countExisting(targets: readonly Targets[], database: Database): Promise<number[]> {
  if (database.session === null) return countTogether(targets, database);
  const counts: number[] = [];
  for (const target of targets) counts.push(...(await countTogether([target], database)));
  return counts;
}

async function countTogether(targets: readonly Targets[], database: Database): Promise<number[]> {
  const [first, ...others] = targets;
  if (first === undefined) return [];
  const part = ({ ids, filter = {} }: Targets, index: number) => [
    { $match: { $and: [{ _id: { $in: ids } }, filter] } },
    { $project: { _id: 1 } },
    { $set: { part: index } },
  ];
  const unions = others.map((target, index) => ({ $unionWith: { coll: target.collection, pipeline: part(target, index + 1) } }));
  const pipeline = [...part(first, 0), ...unions];
  const rows = await readAll(database, { aggregate: first.collection, pipeline, cursor: {} });
  // Counted here: a $group for each part takes the server a third longer.
  return targets.map((_target, index) => rows.filter((row) => row['part'] === index).length);
}

/** Returns the number of documents of a collection for each value of a field. */
export async function countBy(collection: string, field: string, database: Database): Promise<ReadonlyMap<unknown, number>> {
  const pipeline = [{ $group: { _id: `$${field}`, count: { $sum: 1 } } }];
  const rows = await readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return new Map(rows.map(({ _id, count }) => [_id as unknown, Number(count)]));
}

/** A value that a field of a collection would get. */
interface WantedText {
  readonly field: string;
  /** Letters, digits and hyphens. */
  readonly text: string;
  /** The values that documents have which could hold it. */
  readonly among: Document;
}

/** Returns the values of a field that are the text, alone or with a number behind it: `title`, `title-2`. */
export async function takenTexts(
  collection: string,
  { field, text, among }: WantedText,
  database: Database,
): Promise<ReadonlySet<unknown>> {
  const filter = { [field]: { $regex: `^${text}(-\\d+)?$` }, ...among };
  const rows = await readAll(database, { find: collection, filter, projection: { _id: 0, [field]: 1 }, batchSize: 1_000_000 });
  return new Set(rows.map((row) => row[field] as unknown));
}
