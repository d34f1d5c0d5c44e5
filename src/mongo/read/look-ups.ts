import type { Document } from 'mongodb';
import { type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';

/** Ids to look for in one collection. */
export interface Targets {
  readonly collection: string;
  readonly ids: readonly number[];
  /** The match that documents must meet to be counted. */
  readonly filter?: Document | undefined;
}

/**
 * Returns how many of the ids exist, for each of the targets. The ids of a target must be distinct. Sends one command if all
 * exist. It does not return in which collection a row was found, because that takes the server a tenth longer. Sends one more
 * command for each target if some ids are missing, or in a transaction, which does not allow `$unionWith`.
 */
export async function countExisting(targets: readonly Targets[], database: Database): Promise<number[]> {
  const wanted = targets.map(({ ids }) => ids.length);
  const mayJoin = targets.length > 1 && database.session === null;
  if (mayJoin && (await countTogether(targets, database)) === wanted.reduce((sum, count) => sum + count)) return wanted;
  const counts: number[] = [];
  for (const target of targets) counts.push(await countTogether([target], database));
  return counts;
}

async function countTogether([first, ...others]: readonly Targets[], database: Database): Promise<number> {
  if (first === undefined) return 0;
  const unions = others.map((target) => ({ $unionWith: { coll: target.collection, pipeline: existing(target) } }));
  const pipeline = [...existing(first), ...unions];
  return (await readAll(database, { aggregate: first.collection, pipeline, cursor: {} })).length;
}

const existing = ({ ids, filter }: Targets): readonly Document[] => [
  { $match: filter === undefined ? { _id: { $in: ids } } : { $and: [{ _id: { $in: ids } }, filter] } },
  { $project: { _id: 1 } },
];

/** Returns the number of documents of a collection for each value of a field. */
export async function countBy(collection: string, field: string, database: Database): Promise<ReadonlyMap<unknown, number>> {
  const pipeline = [{ $group: { _id: `$${field}`, count: { $sum: 1 } } }];
  const rows = await readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return new Map(rows.map(({ _id, count }) => [_id as unknown, Number(count)]));
}

/** A candidate for the value of a field. */
interface WantedText {
  readonly field: string;
  /** Characters of uids: of those a pattern only has the dot. */
  readonly text: string;
  /** Matches the documents among which the value must be unique. */
  readonly among: Document;
}

/** Returns the values of a field that equal the text, or the text followed by a number: `title`, `title-2`. */
export async function takenTexts(
  collection: string,
  { field, text, among }: WantedText,
  database: Database,
): Promise<ReadonlySet<unknown>> {
  const filter = { [field]: { $regex: `^${text.replaceAll('.', '\\.')}(-\\d+)?$` }, ...among };
  const rows = await readAll(database, { find: collection, filter, projection: { _id: 0, [field]: 1 }, batchSize: 1_000_000 });
  return new Set(rows.map((row) => row[field] as unknown));
}
