import { createHash } from 'node:crypto';
import type { Document } from 'mongodb';
import type { ExaminedRead } from '#base/observe/request-observations.js';
import { collections } from '#model/schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';
import { startingWith } from '../form/matches.js';
import { countMatching, findStored } from '../stored.js';

/** Reads of one shape, without their values. */
export interface ShapeReads {
  readonly uid: string;
  /** What is compared and sorted: `title containsi, sorted by rating desc`. */
  readonly shape: string;
  /** The way in which the last page was read. */
  readonly way: string;
  readonly count: number;
  /** The number of those that took long. */
  readonly slow: number;
  /** Milliseconds of all of them, and of the longest. */
  readonly ms: number;
  readonly maxMs: number;
  readonly lastAt: Date;
  /** Null if the server has not said yet. */
  readonly examined: ExaminedRead | null;
}

const hour = 3_600_000;

/** Maximum number of documents of an hour, of those that are read, and of shapes that are listed. */
const most = { inHour: 200, read: 5_200, listed: 100 };

/** Adds reads to those that all instances have stored in this hour. Shapes beyond the bound are left out. */
export async function addShapes(database: Database, reads: readonly ShapeReads[]): Promise<void> {
  if (reads.length === 0) return;
  const newest = reads.reduce((last, { lastAt }) => (lastAt > last ? lastAt : last), new Date(0));
  const stored = await countMatching(database, collections.queryShapes, { _id: startingWith(hourOf(newest).toISOString()) });
  const upsert = stored < most.inHour;
  const operations = reads.map((read) => ({ updateOne: { ...updateOf(read), upsert } }));
  const shapes = database.db.collection<{ readonly _id: string }>(collections.queryShapes);
  await inWriteTime(database, () => shapes.bulkWrite(operations, { ordered: false, ...commentIn(database) }));
}

const hourOf = (time: Date): Date => new Date(Math.floor(time.getTime() / hour) * hour);

function updateOf({ uid, shape, way, count, slow, ms, maxMs, lastAt, examined }: ShapeReads) {
  const begin = hourOf(lastAt);
  const name = createHash('sha256').update(`${uid}\n${shape}`).digest('hex').slice(0, 32);
  return {
    filter: { _id: `${begin.toISOString()} ${name}` },
    update: {
      $inc: { count, slow, ms },
      $max: { maxMs, lastAt },
      $set: { way, ...(examined !== null && { examined }) },
      $setOnInsert: { uid, shape, expiresAt: new Date(begin.getTime() + 25 * hour) },
    },
  };
}

/** Returns the reads of the last day by their shapes, those that took most time first. */
export async function readShapes(database: Database): Promise<readonly ShapeReads[]> {
  const rows = await findStored(database, collections.queryShapes, { sort: { _id: 1 }, limit: most.read });
  const shapes = new Map<string, ShapeReads>();
  for (const row of rows.filter(({ expiresAt }) => (expiresAt as Date).getTime() > Date.now())) {
    const key = `${String(row['uid'])} ${String(row['shape'])}`;
    shapes.set(key, sum(shapes.get(key), row));
  }
  return [...shapes.values()].sort((a, b) => b.ms - a.ms).slice(0, most.listed);
}

/** Returns the sum of reads and later ones, which are stored. */
function sum(before: ShapeReads | undefined, row: Document): ShapeReads {
  const { uid, shape, way, count, slow, ms, maxMs, lastAt, examined = null } = row as Omit<ShapeReads, 'examined'> & Document; // stored in this form
  return {
    ...{ uid, shape, way, lastAt },
    count: count + (before?.count ?? 0),
    slow: slow + (before?.slow ?? 0),
    ms: ms + (before?.ms ?? 0),
    maxMs: Math.max(maxMs, before?.maxMs ?? 0),
    examined: (examined as ExaminedRead | null) ?? before?.examined ?? null,
  };
}
