import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { inWriteTime } from '../calls.js';
import { type Database, inSession } from '../database.js';
import { DuplicateKey } from '../driver-errors.js';

interface Claim {
  readonly _id: string;
  /** An id of the claim. */
  readonly holder: string;
  readonly until: Date;
}

interface ClaimedWork<Result> {
  readonly work: () => Promise<Result>;
  /** Returns the error to throw if another caller has the claim. */
  readonly busy: () => Error;
}

/** Milliseconds after which a claim expires that is not renewed, because its holder has died. */
const patience = 30_000;

/** Returns the update that takes a free claim, or renews the claim of the holder, by the clock of the server. */
function takenBy(holder: string): Document[] {
  const mine = { $literal: holder };
  const isMine = { $or: [{ $eq: ['$holder', mine] }, { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }] };
  const until = { $cond: [isMine, { $add: ['$$NOW', patience] }, '$until'] };
  return [{ $set: { holder: { $cond: [isMine, mine, '$holder'] }, until } }];
}

/**
 * Runs work under a name that only one caller on all instances may hold at a time. The claim is a lease that is renewed until the
 * work ends. In a transaction it is held by write conflicts until the transaction ends. Throws the error of `busy` if another
 * caller has the claim.
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

/** Returns null if another instance was the first to insert the claim; other errors are thrown. */
function unlessTaken(error: unknown): null {
  if (!(error instanceof DuplicateKey)) throw error;
  return null;
}
