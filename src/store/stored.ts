import type { AbstractCursor } from 'mongodb';
import { type Database, type Document } from './send/database.js';
import { readAll } from './send/read-commands.js';
import type { Match } from './form/matches.js';

/** Which documents of a collection are read, and what of them. */
export interface FindOptions {
  readonly match?: Match;
  /** The fields that are read; all by default. */
  readonly fields?: readonly string[];
  /** Fields that are not read. An index answers a read of `fields` that it has, without `_id`. */
  readonly without?: readonly string[];
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  /** Maximum number of documents; all by default. */
  readonly limit?: number;
}

/** Returns stored documents as they are, without rights or presentation, in one command; in no order unless one is wanted. */
export const findStored = (
  database: Database,
  collection: string,
  { match, fields, without, ...page }: FindOptions = {},
): Promise<readonly Document[]> =>
  readAll(database, {
    find: collection,
    ...(match && { filter: match }),
    ...((fields ?? without) && { projection: projectionOf(fields, without) }),
    ...page,
    batchSize: page.limit ?? 1_000_000,
  });

const projectionOf = (fields: readonly string[] = [], without: readonly string[] = []): Document =>
  Object.fromEntries([...without.map((field) => [field, 0] as const), ...fields.map((field) => [field, 1] as const)]);

/** Which documents of a collection are read by the object that they have in a field. */
interface FindByPartOptions extends Required<Pick<FindOptions, 'match' | 'sort' | 'limit'>>, Pick<FindOptions, 'skip'> {
  readonly field: string;
  /** The match of the object, as if it were a document. */
  readonly part: Match;
}

/** Returns the stored documents of a match whose object in a field meets another match, in one command. */
export function findByPart(database: Database, collection: string, options: FindByPartOptions): Promise<readonly Document[]> {
  const { match, sort, skip = 0, limit, field, part } = options;
  const whole = '_whole';
  const among = [
    { $replaceRoot: { newRoot: { $mergeObjects: [`$${field}`, { [whole]: '$$ROOT' }] } } },
    { $match: part },
    { $replaceRoot: { newRoot: `$${whole}` } },
  ];
  const filtered = Object.keys(part).length === 0 ? [] : among;
  const pipeline = [{ $match: match }, { $sort: sort }, ...filtered, ...(skip > 0 ? [{ $skip: skip }] : []), { $limit: limit }];
  return readAll(database, { aggregate: collection, pipeline });
}

/** Returns the first stored document of a match; null if there is none. */
export const findFirst = async (database: Database, collection: string, match: Match): Promise<Document | null> =>
  (await findStored(database, collection, { match, limit: 1 }))[0] ?? null;

/** Returns whether a document meets a match; without one, whether there is any document. */
export const isStored = async (database: Database, collection: string, match?: Match): Promise<boolean> =>
  (await findStored(database, collection, { ...(match && { match }), fields: ['_id'], limit: 1 })).length > 0;

/** Returns the number of stored documents of a match. */
export async function countMatching(database: Database, collection: string, match: Match): Promise<number> {
  const [counted] = await readAll(database, { aggregate: collection, pipeline: [{ $match: match }, { $count: 'n' }] });
  return Number(counted?.['n'] ?? 0);
}

/** Calls a function with the documents of each reply to a cursor, and closes the cursor. */
export async function eachReply<Row>(cursor: AbstractCursor<Row>, work: (rows: readonly Row[]) => Promise<void>): Promise<void> {
  try {
    while (await cursor.hasNext()) await work(cursor.readBufferedDocuments());
  } finally {
    await cursor.close();
  }
}

/** Ids to look for in one collection. */
export interface Targets {
  readonly collection: string;
  readonly ids: readonly number[];
  /** The match that documents must meet to be counted. */
  readonly filter?: Document | undefined;
}

/**
 * Returns how many of the ids exist, for each of the targets. The ids of a target must be distinct. Sends one command; one for each
 * target if no id of the first exists, or in a transaction of a sharded cluster, where a `$lookup` may be refused.
 */
export async function countExisting(targets: readonly Targets[], database: Database): Promise<readonly number[]> {
  const mayJoin = targets.length > 1 && !(database.isSharded && database.session !== null);
  const joined = mayJoin ? await countTogether(targets, database) : null;
  if (joined !== null) return joined;
  const counts: number[] = [];
  for (const target of targets) counts.push((await countTogether([target], database))?.[0] ?? 0);
  return counts;
}

/**
 * Returns null if no id of the first target exists. The others are found by `$lookup` without a condition between the collections,
 * which takes the server a quarter less time than `$unionWith`, and which a transaction allows.
 */
async function countTogether([first, ...others]: readonly Targets[], database: Database): Promise<readonly number[] | null> {
  if (first === undefined) return [];
  const lookups = others.map((target, index) => ({
    $lookup: { from: target.collection, as: String(index), pipeline: existing(target) },
  }));
  const counts = ['$count', ...others.map((_, index) => ({ $size: `$${String(index)}` }))];
  const group = { $group: { _id: null, count: { $sum: 1 } } };
  const pipeline = [...existing(first), group, ...lookups, { $project: { _id: 0, counts } }];
  const [row] = await readAll(database, { aggregate: first.collection, pipeline });
  return row === undefined ? null : (row['counts'] as readonly number[]);
}

const existing = ({ ids, filter }: Targets): readonly Document[] => [
  { $match: filter === undefined ? { _id: { $in: ids } } : { $and: [{ _id: { $in: ids } }, filter] } },
  { $project: { _id: 1 } },
];

/** Returns the number of documents of a collection for each value of a field. */
export async function countBy(collection: string, field: string, database: Database): Promise<ReadonlyMap<unknown, number>> {
  const pipeline = [{ $group: { _id: `$${field}`, count: { $sum: 1 } } }];
  const rows = await readAll(database, { aggregate: collection, pipeline });
  return new Map(rows.map(({ _id, count }) => [_id as unknown, Number(count)]));
}

/** A candidate for the value of a field. */
interface TextCandidate {
  readonly field: string;
  /** Characters of uids: of those a pattern only has the dot. */
  readonly text: string;
  /** Matches the documents among which the value must be unique. */
  readonly among: Document;
}

/** Returns the values of a field that equal the text, or the text followed by a number: `title`, `title-2`. */
export async function takenTexts(
  collection: string,
  { field, text, among }: TextCandidate,
  database: Database,
): Promise<ReadonlySet<unknown>> {
  const filter = { [field]: { $regex: `^${text.replaceAll('.', '\\.')}(-\\d+)?$` }, ...among };
  const rows = await readAll(database, { find: collection, filter, projection: { _id: 0, [field]: 1 }, batchSize: 1_000_000 });
  return new Set(rows.map((row) => row[field] as unknown));
}
