import { collections } from '../../schema/collections.js';
import { type Database, inSession, translating } from '../database.js';
import { DuplicateKey } from '../driver-errors.js';

interface Claim {
  readonly _id: string;
  readonly until: Date;
}

interface ClaimedWork<Result> {
  readonly work: () => Promise<Result>;
  /** Thrown if the name is held already. */
  readonly busy: () => Error;
}

/** Milliseconds after which a claim expires: its holder has died. */
const patience = 30_000;

/**
 * Runs work that at most one caller of all instances may do at a time under this name. In a transaction the name is held until
 * its end, by write conflicts.
 */
export async function claim<Result>(
  { db, session }: Database,
  name: string,
  { work, busy }: ClaimedWork<Result>,
): Promise<Result> {
  const claims = db.collection<Claim>(collections.claims);
  const now = Date.now();
  const until = new Date(now + patience);
  try {
    await translating(() =>
      claims.updateOne(
        { _id: name, until: { $lt: new Date(now) } },
        { $set: { until } },
        { upsert: true, ...inSession(session) },
      ),
    );
  } catch (error) {
    throw error instanceof DuplicateKey ? busy() : error;
  }
  try {
    return await work();
  } finally {
    await claims.deleteOne({ _id: name, until }, inSession(session)).catch(() => undefined);
  }
}

/** Whether a process of this machine runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
