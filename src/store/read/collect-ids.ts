import type { Document } from 'mongodb';
import { isRecord, only } from '#base/values.js';
import type { ElementPlace } from '#model/query/plan.js';
import { asScanned, type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { estimateSize, fewEntries } from './collection-facts.js';
import type { RelatedCondition } from './compile-condition.js';
import { joinFields } from './join-related.js';

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
export const areTooMany = ({ length }: readonly unknown[], { budget }: Database): boolean =>
  length > budget.remaining('idsResolved');

/**
 * Reads the `_id`s that the stages lead to as one document, in any order. Reads at most one more than the budget allows, which is enough
 * to detect the excess.
 */
export async function readIds(collection: string, stages: readonly Document[], database: Database): Promise<readonly unknown[]> {
  const pipeline = [...stages, ...limitStage(database.budget.remaining('idsResolved')), groupIds];
  const [group] = await readAll(asScanned(database), { aggregate: collection, pipeline });
  return usableIds((group?.['ids'] ?? []) as readonly unknown[]); // the pipeline groups them into this array
}

/** The stage that lists the ids of all entries in one document; there is none without entries. */
const groupIds: Document = { $group: { _id: null, ids: { $push: '$_id' } } };

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
  if (session !== null || second !== undefined || (await estimateSize({ collection }, database)) > fewEntries)
    return readIds(collection, stages, database);
  const left = budget.remaining('idsResolved');
  const limit = left === Infinity ? {} : { limit: left + 1 };
  const command = { find: collection, filter: match, projection: { _id: 1 }, batchSize: 2 * fewEntries, ...limit };
  return (await readAll(asScanned(database), command)).map(({ _id }) => _id as unknown);
}

/** Returns the stage that ends after one entry more than the budget allows; no stage without a budget. */
export const limitStage = (remaining: number): Document[] => (remaining === Infinity ? [] : [{ $limit: remaining + 1 }]);

/**
 * Reads the ids of the entries, or outer elements, that contain elements which meet a match. `$expr`, which converts numbers and JSON to
 * text, works only on documents. So each element is turned into a document.
 */
export function readHolders(
  { collection, lists }: ElementPlace,
  match: Document,
  database: Database,
): Promise<readonly unknown[]> {
  const elements = lists.flatMap((list, depth) => {
    const holder = { _holder: depth === 0 ? '$_id' : '$id' };
    const parts = { $match: { [list]: { $type: 'object', $not: { $type: 'array' } } } };
    return [{ $unwind: `$${list}` }, parts, { $replaceRoot: { newRoot: { $mergeObjects: [`$${list}`, holder] } } }];
  });
  return readIds(collection, [...elements, { $match: match }, { $group: { _id: '$_holder' } }], database);
}

/** Returns the stages that list the ids of the entries that other entries are related with, each once, and at most one more than `most`. */
export const relatedIds = (condition: RelatedCondition, most = Infinity): readonly Document[] => [
  ...(condition.link.storage.kind === 'own' ? [] : distinctOwners(condition)),
  ...limitStage(most),
  groupIds,
];

/**
 * Returns the stages that list the ids that the owners of a relation store, each once. An owner stores one or several. What another program
 * has stored instead is left out: a look-up by a list that contains operators fails.
 */
export function distinctOwners(condition: RelatedCondition): Document[] {
  const field = `$${joinFields(condition).foreignField}`;
  return [{ $unwind: field }, { $group: { _id: field } }, { $match: { _id: { $type: 'number' } } }];
}
