import type { Document } from 'mongodb';
import { isRecord, only } from '../../values.js';
import { asScanned, type Database, readAll } from '../database.js';
import { estimateSize } from './collection-facts.js';

/**
 * Returns the `_id`s that the stages lead to, which are read as one document. Reads at most one more than the budget allows,
 * which is enough to detect the excess.
 */
export async function collectIds(
  collection: string,
  stages: readonly Document[],
  database: Database,
): Promise<readonly unknown[]> {
  const { budget } = database;
  const pipeline = [...stages, ...atMost(budget.left('idsResolved')), { $group: { _id: null, ids: { $push: '$_id' } } }];
  const [group] = await readAll(asScanned(database), { aggregate: collection, pipeline, cursor: {} });
  const ids = (group?.['ids'] ?? []) as readonly unknown[]; // the pipeline groups them into this array
  budget.spend('idsResolved', ids.length);
  return only(ids, isUsable);
}

/** Objects, which are no ids, may have keys that a filter takes for operators. */
const isUsable = (id: unknown): id is unknown => !isRecord(id) || '_bsontype' in id;

/**
 * Maximum number of entries of a small collection. For these `find` is used, which takes mongod 0.2 ms less than `$group`; with
 * thousands of ids it would take Node three times as long.
 */
const smallSize = 1_000;

/** Returns the `_id`s of the entries that meet a condition, within the budget. */
export async function collectMatching(collection: string, match: Document, database: Database): Promise<readonly unknown[]> {
  const { session, budget } = database;
  if (session !== null || (await estimateSize({ collection }, database)) > smallSize)
    return collectIds(collection, [{ $match: match }], database);
  const left = budget.left('idsResolved');
  const limit = left === Infinity ? {} : { limit: left + 1 };
  const command = { find: collection, filter: match, projection: { _id: 1 }, batchSize: 2 * smallSize, ...limit };
  const entries = await readAll(asScanned(database), command);
  budget.spend('idsResolved', entries.length);
  return entries.map(({ _id }) => _id as unknown);
}

/** Returns the stage that ends after one entry more than the budget allows; no stage without a budget. */
export const atMost = (left: number): Document[] => (left === Infinity ? [] : [{ $limit: left + 1 }]);
