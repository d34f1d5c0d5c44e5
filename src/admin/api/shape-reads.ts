import { createHash } from 'node:crypto';
import type { ExaminedRead } from '#base/observe/request-observations.js';
import { collections } from '#model/schema/collections.js';
import { is } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';

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

/** What is stored: the reads of one shape in one hour. */
interface StoredReads extends Omit<ShapeReads, 'examined'>, Partial<Pick<ShapeReads, 'examined'>> {
  readonly expiresAt: Date;
}

const shapes = ownRows<StoredReads>(collections.queryShapes);

const hour = 3_600_000;

/** Maximum number of documents of an hour, of those that are read, and of shapes that are listed. */
const most = { inHour: 200, read: 5_200, listed: 100 };

/** Adds reads to those that all instances have stored in this hour. Shapes beyond the bound are left out. */
export async function addShapes(database: Database, reads: readonly ShapeReads[]): Promise<void> {
  if (reads.length === 0) return;
  const newest = reads.reduce((last, { lastAt }) => (lastAt > last ? lastAt : last), new Date(0));
  const stored = await shapes.count(database, { _id: is.startingWith(hourOf(newest).toISOString()) });
  await shapes.changeEach(database, reads.map(changeOf), { creates: stored < most.inHour });
}

const hourOf = (time: Date): Date => new Date(Math.floor(time.getTime() / hour) * hour);

function changeOf({ uid, shape, way, count, slow, ms, maxMs, lastAt, examined }: ShapeReads) {
  const begin = hourOf(lastAt);
  const name = createHash('sha256').update(`${uid}\n${shape}`).digest('hex').slice(0, 32);
  const change = {
    increase: { count, slow, ms },
    raise: { maxMs, lastAt },
    set: { way, ...(examined !== null && { examined }) },
    initial: { uid, shape, expiresAt: new Date(begin.getTime() + 25 * hour) },
  };
  return [{ _id: `${begin.toISOString()} ${name}` }, change] as const;
}

/** Returns the reads of the last day by their shapes, those that took most time first. */
export async function readShapes(database: Database): Promise<readonly ShapeReads[]> {
  const rows = await shapes.find(database, { sort: { _id: 1 }, limit: most.read });
  const sums = new Map<string, ShapeReads>();
  for (const row of rows.filter(({ expiresAt }) => expiresAt.getTime() > Date.now())) {
    const key = `${row.uid} ${row.shape}`;
    sums.set(key, sum(sums.get(key), row));
  }
  return [...sums.values()].sort((a, b) => b.ms - a.ms).slice(0, most.listed);
}

/** Returns the sum of reads and later ones, which are stored. */
const sum = (before: ShapeReads | undefined, { uid, shape, way, lastAt, ...row }: StoredReads): ShapeReads => ({
  ...{ uid, shape, way, lastAt },
  count: row.count + (before?.count ?? 0),
  slow: row.slow + (before?.slow ?? 0),
  ms: row.ms + (before?.ms ?? 0),
  maxMs: Math.max(row.maxMs, before?.maxMs ?? 0),
  examined: row.examined ?? before?.examined ?? null,
});
