import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import { translating } from '../send/driver-errors.js';
import type { TrigramPlace } from '#model/query/plan.js';
import type { Database } from '../send/database.js';
import { placeKey } from '../send/index-state.js';
import { countDocuments, readAll } from '../send/read-commands.js';
import { trigramPath } from '../form/layout.js';
import { claim } from '../stores/claim.js';
import { storedTrigrams } from '../form/trigrams.js';
import { findStored } from '../stored.js';

/** A document of `_searches`: the progress, for all instances, of a build for entries that are older than the option `search`. */
interface BuildRecord {
  /** `articles/title` */
  readonly _id: string;
  /** `settling`: all entries have their trigrams, but instances without the new model may have changed some meanwhile. */
  readonly state: 'building' | 'settling' | 'ready';
  /** The id of the last entry that was read; null if there is none. */
  readonly done: number | null;
  readonly entries: number;
  /** Entries that were changed later than this are read twice. */
  readonly since: Date;
}

/** The number of entries that have their trigrams, and of all entries. */
export interface BuildProgress {
  readonly entries: number;
  readonly of: number;
}

/** The context of a build. */
interface BuildContext {
  readonly database: Database;
  /** Whether the build continues. */
  readonly isWanted: () => boolean;
  /** Whether other instances write to the database. */
  readonly hasOthers: () => Promise<boolean>;
  readonly report: (progress: BuildProgress) => Promise<void>;
}

/** Number of entries in a step. */
const batch = 500;
/** Maximum time in milliseconds that other work of the process waits for a step. */
const longest = 10;
/** Milliseconds until writes have ended that began before this instance, or another one, knew the option. */
const settling = { alone: 250, others: 5_000 };
/** Milliseconds between two checks of a build by another instance. */
const pause = 500;
/** Maximum difference between the clocks of instances, in milliseconds. */
const clockSkew = 60_000;

const fromStart = (): Omit<BuildRecord, '_id'> => ({
  state: 'building',
  done: null,
  entries: 0,
  since: new Date(Date.now() - clockSkew),
});

const records = ({ db }: Database) => db.collection<BuildRecord>(collections.searches);

/** Returns the ids of all builds, in every state. */
export async function readBuilds(database: Database): Promise<readonly string[]> {
  const rows = await findStored(database, collections.searches, { fields: ['_id'] });
  return rows.map(({ _id }) => String(_id));
}

/** Records that the trigrams of all other attributes must be built from the beginning, because writes no longer store them. */
export async function restartOthers(places: readonly TrigramPlace[], database: Database): Promise<void> {
  const others = { _id: { $nin: places.map(placeKey) } };
  await translating(() => records(database).updateMany(others, { $set: fromStart() }));
}

/** Records that all entries have the trigrams of a renamed attribute, which were copied, if they had those of the former name. */
export async function renameBuild(former: TrigramPlace, attribute: string, database: Database): Promise<void> {
  const match = { _id: placeKey(former), state: 'ready' } as const;
  const ready = await translating(() => records(database).findOne(match, { projection: { _id: 0 } }));
  if (ready === null) return;
  const renamed = { _id: placeKey({ ...former, attribute }) };
  await translating(() => records(database).updateOne(renamed, { $set: ready }, { upsert: true }));
}

/** Deletes the record of a build, and its trigrams. */
export async function dropBuild(id: string, database: Database): Promise<void> {
  const [collection = '', attribute = ''] = id.split('/');
  const path = trigramPath(attribute);
  await translating(() =>
    database.db.collection(collection).updateMany({ [path]: { $exists: true } }, { $unset: { [path]: '' } }),
  );
  await translating(() => records(database).deleteOne({ _id: id }));
}

/**
 * Stores the missing trigrams of an attribute in the entries of a collection, in batches. One instance works at a time; any
 * instance continues where another has stopped. Resolves to false if the build was ended before all entries have them.
 */
export async function buildTrigrams(place: TrigramPlace, context: BuildContext): Promise<boolean> {
  const { database, isWanted, report } = context;
  while (isWanted()) {
    const record = await readRecord(place, database);
    if (record.state === 'ready') return true;
    await report({ entries: record.entries, of: await countDocuments(place.collection, database) });
    const work = () => takeStep(place, context);
    await claim(database, `search ${placeKey(place)}`, { work, busy: () => busy }).catch((error: unknown) => {
      if (error !== busy) throw error;
      return delay(pause, undefined, { ref: false });
    });
  }
  return false;
}

/** Another instance takes a step. */
const busy = new Error('another instance builds');

async function readRecord(place: TrigramPlace, database: Database): Promise<BuildRecord> {
  const _id = placeKey(place);
  const initial = fromStart();
  const options = { upsert: true, returnDocument: 'after' } as const;
  const record = await translating(() => records(database).findOneAndUpdate({ _id }, { $setOnInsert: initial }, options));
  return record ?? { _id, ...initial };
}

async function takeStep(place: TrigramPlace, context: BuildContext): Promise<void> {
  const { database } = context;
  const { _id, state, done, entries, since } = await readRecord(place, database);
  if (state === 'ready') return;
  const rows = await readBatch(place, { done, since: state === 'settling' ? since : null }, database);
  await completeRows(place, rows, database);
  const last = rows.length < batch;
  if (last && state === 'building') await delay((await context.hasOthers()) ? settling.others : settling.alone);
  const next = state === 'building' ? 'settling' : 'ready';
  const reached = last ? ({ state: next, done: null } as const) : { state, done: Number(rows.at(-1)?.['_id']) };
  const counted = entries + (state === 'building' ? rows.length : 0);
  await translating(() => records(database).updateOne({ _id }, { $set: { ...reached, entries: counted } }));
}

interface Reached {
  readonly done: number | null;
  /** Only entries that were changed since then; null: all. */
  readonly since: Date | null;
}

function readBatch({ collection, attribute }: TrigramPlace, { done, since }: Reached, database: Database) {
  const filter = { ...(done !== null && { _id: { $gt: done } }), ...(since !== null && { updatedAt: { $gte: since } }) };
  const projection = { [attribute]: 1, [trigramPath(attribute)]: 1 };
  return readAll(database, { find: collection, filter, projection, sort: { _id: 1 }, limit: batch });
}

async function completeRows(place: TrigramPlace, rows: readonly Document[], database: Database): Promise<void> {
  const { attribute, collection } = place;
  const operations: object[] = [];
  let begun = performance.now();
  for (const row of rows) {
    const trigrams = storedTrigrams(row[attribute]);
    const known = (row['_trigrams'] as Document | undefined)?.[attribute] as unknown; // written in this form
    // an entry whose text has changed meanwhile got its trigrams by that write
    const filter = { _id: row['_id'] as unknown, [attribute]: (row[attribute] ?? null) as unknown };
    if (!isDeepStrictEqual(known, trigrams))
      operations.push({ updateOne: { filter, update: { $set: { [trigramPath(attribute)]: trigrams } } } });
    if (performance.now() - begun < longest) continue;
    await delay(0);
    begun = performance.now();
  }
  if (operations.length === 0) return;
  await translating(() => database.db.collection(collection).bulkWrite(operations as never, { ordered: false })); // in the driver's form
}

/** Returns how often trigrams occur in a sample of the entries. */
export async function sampleTrigrams(
  { collection, attribute }: TrigramPlace,
  database: Database,
): Promise<ReadonlyMap<string, number>> {
  const pipeline = [
    { $sample: { size: 300 } },
    { $project: { run: `$${trigramPath(attribute)}` } },
    { $unwind: '$run' },
    { $group: { _id: '$run', count: { $sum: 1 } } },
    { $sort: { count: -1 } },
    { $limit: 3_000 },
  ];
  const rows = await readAll(database, { aggregate: collection, pipeline, cursor: { batchSize: 3_000 } });
  return new Map(rows.map(({ _id, count }) => [String(_id), Number(count)]));
}
