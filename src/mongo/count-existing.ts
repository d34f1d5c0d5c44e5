import { readAll, type Database } from './database.js';

/** Ids of one collection that must exist. */
export interface Targets {
  readonly collection: string;
  readonly ids: readonly number[];
}

/** How many of the ids are there, for each collection in turn. One command for all. */
export async function countExisting(targets: readonly Targets[], database: Database): Promise<number[]> {
  const [first, ...others] = targets;
  if (first === undefined) return [];
  const part = ({ ids }: Targets, index: number) => [
    { $match: { _id: { $in: ids } } },
    { $group: { _id: { $literal: index }, count: { $sum: 1 } } },
  ];
  const unions = others.map((target, index) => ({ $unionWith: { coll: target.collection, pipeline: part(target, index + 1) } }));
  const rows = await readAll(database, { aggregate: first.collection, pipeline: [...part(first, 0), ...unions], cursor: {} });
  const counts = targets.map(() => 0);
  for (const row of rows) counts[Number(row['_id'])] = Number(row['count']);
  return counts;
}
