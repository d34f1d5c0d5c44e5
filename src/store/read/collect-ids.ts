import type { Document } from 'mongodb';
import { isRecord, only } from '#base/values.js';
import { asScanned, type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { estimateSize, few } from './collection-facts.js';

/** Returns the `_id`s that the stages lead to. Throws a ValidationError if they are more than the budget allows. */
export const collectIds = async (
  collection: string,
  stages: readonly Document[],
  database: Database,
): Promise<readonly unknown[]> => spend(await readIds(collection, stages, database), database);

/** Returns ids after spending them. */
export function spend(ids: readonly unknown[], { budget }: Database): readonly unknown[] {
  budget.spend('idsResolved', ids.length);
  return ids;
}

/** Returns whether ids are more than the budget allows. */
export const areTooMany = ({ length }: readonly unknown[], { budget }: Database): boolean => length > budget.left('idsResolved');

/**
 * Reads the `_id`s that the stages lead to as one document, in any order. Reads at most one more than the budget allows, which is enough
 * to detect the excess.
 */
export async function readIds(collection: string, stages: readonly Document[], database: Database): Promise<readonly unknown[]> {
  const pipeline = [...stages, ...atMost(database.budget.left('idsResolved')), groupIds];
  const [group] = await readAll(asScanned(database), { aggregate: collection, pipeline });
  return usableIds((group?.['ids'] ?? []) as readonly unknown[]); // the pipeline groups them into this array
}

/** The stage that lists the ids of all entries in one document; there is none without entries. */
export const groupIds: Document = { $group: { _id: null, ids: { $push: '$_id' } } };

/** Returns ids without objects. These are no ids, and may have keys that a filter takes for operators. */
export const usableIds = (ids: readonly unknown[]): readonly unknown[] =>
  only(ids, (id): id is unknown => !isRecord(id) || '_bsontype' in id);

/**
 * Does the same as `readIds`. For small collections `find` takes mongod 0.2 ms less than `$group`; with thousands of ids it would
 * take Node three times as long.
 */
export async function readMatching(
  collection: string,
  stages: readonly Document[],
  database: Database,
): Promise<readonly unknown[]> {
  const { session, budget } = database;
  const [{ $match: match } = {}, second] = stages;
  if (session !== null || second !== undefined || (await estimateSize({ collection }, database)) > few)
    return readIds(collection, stages, database);
  const left = budget.left('idsResolved');
  const limit = left === Infinity ? {} : { limit: left + 1 };
  const command = { find: collection, filter: match, projection: { _id: 1 }, batchSize: 2 * few, ...limit };
  return (await readAll(asScanned(database), command)).map(({ _id }) => _id as unknown);
}

/** Returns the stage that ends after one entry more than the budget allows; no stage without a budget. */
export const atMost = (left: number): Document[] => (left === Infinity ? [] : [{ $limit: left + 1 }]);
