import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { inWriteTime } from '../calls.js';
import { type Database, inSession } from '../database.js';
import { DuplicateKey } from '../driver-errors.js';

interface Claim {
  readonly _id: string;
  /** Differs with every claim. */
  readonly holder: string;
  readonly until: Date;
}

interface ClaimedWork<Result> {
  readonly work: () => Promise<Result>;
  /** Thrown if the name is held already. */
  readonly busy: () => Error;
}

/** Milliseconds after which a claim that is not renewed expires: its holder has died. */
const patience = 30_000;

/** Takes a claim that is free, or renews one that is held, by the clock of the server. */
function takenBy(holder: string): Document[] {
  const mine = { $literal: holder };
  const isMine = { $or: [{ $eq: ['$holder', mine] }, { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }] };
  const until = { $cond: [isMine, { $add: ['$$NOW', patience] }, '$until'] };
  return [{ $set: { holder: { $cond: [isMine, mine, '$holder'] }, until } }];
}

/**
 * Runs work that at most one caller of all instances may do at a time under this name: a lease, which is renewed until the work ends. In a
 * transaction the name is held until its end, by write conflicts.
 */
export async function claim<Result>(database: Database, name: string, { work, busy }: ClaimedWork<Result>): Promise<Result> {
  const { db, session } = database;
  const claims = db.collection<Claim>(collections.claims);
  const holder = randomUUID();
  const options = { upsert: true, returnDocument: 'after', ...inSession(session) } as const;
  const taken = await inWriteTime(database, () => claims.findOneAndUpdate({ _id: name }, takenBy(holder), options)).catch(
    unlessTaken,
  );
  if (taken?.holder !== holder) throw busy();
  const renew = (): void => void claims.updateOne({ _id: name, holder }, takenBy(holder)).catch(() => undefined);
  const timer = session === null ? setInterval(renew, patience / 3) : undefined;
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await inWriteTime(database, () => claims.deleteOne({ _id: name, holder }, inSession(session))).catch(() => undefined);
  }
}

/** Another instance was quicker to make the claim. */
function unlessTaken(error: unknown): null {
  if (!(error instanceof DuplicateKey)) throw error;
  return null;
}

/** Whether a process of this machine runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
