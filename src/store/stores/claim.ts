import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { oncePer } from '#base/caches.js';
import type { Due, Leases } from '#base/jobs.js';
import { meanwhile } from '#base/limits/timers.js';
import { isGone, ownIdentity, type ProcessIdentity } from '#base/processes.js';
import { collections } from '#model/schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database, forJob, inScope } from '../send/database.js';
import { DuplicateKey } from '../send/driver-errors.js';

interface Claim {
  readonly _id: string;
  /** An id of the claim. */
  readonly holder: string;
  readonly until: Date;
  /** The process of the holder while it has the claim; absent or null if it is not known. */
  readonly owner?: ProcessIdentity | null;
  /** The time of the last run of a job, by its schedule or by the clock of the server. */
  readonly ran?: Date;
}

interface ClaimedWork<Result> {
  readonly work: () => Promise<Result>;
  /** Returns the error to throw if another caller has the claim. */
  readonly busy: () => Error;
}

/** Milliseconds after which a claim expires that is not renewed, because its holder has died. */
const claimLifetime = 15_000;

/** Seconds after which the claim of a job is deleted that no instance runs any more. */
const forgottenAfter = 3_600;

const later = { $add: ['$$NOW', claimLifetime] };

/** Returns the update that takes a free claim, by the clock of the server. `due` is when the run of a job is due. */
function takenBy(holder: string, due: Due | null): Document[] {
  const before = { $ifNull: ['$until', new Date(0)] };
  const ran = { $ifNull: ['$ran', new Date(0)] };
  // a timer may be a little early
  const isDue = due === null || { $lt: [ran, due instanceof Date ? due : { $subtract: ['$$NOW', 0.9 * due] }] };
  const isMine = { $and: [{ $lt: [before, '$$NOW'] }, isDue] };
  const ifMine = (value: unknown, name: string) => ({ $cond: [isMine, value, `$${name}`] });
  const owner = ifMine({ $literal: ownIdentity() }, 'owner');
  const taken = { holder: ifMine({ $literal: holder }, 'holder'), until: ifMine(later, 'until'), owner };
  return [{ $set: due === null ? taken : { ...taken, ran: ifMine(due instanceof Date ? due : '$$NOW', 'ran') } }];
}

/**
 * Runs work under a name that only one caller on all instances may hold at a time. The claim is a lease that is renewed until the
 * work ends. In a transaction it is held by write conflicts until the transaction ends. Throws the error of `busy` if another
 * caller has the claim.
 */
export async function claim<Result>(database: Database, name: string, { work, busy }: ClaimedWork<Result>): Promise<Result> {
  const { session } = database;
  const holder = await take(database, name, null);
  if (holder === null) throw busy();
  const ownClaim = { _id: name, holder };
  try {
    return session === null ? await renewed(database, ownClaim, { work, lost: () => undefined }) : await work();
  } finally {
    await inWriteTime(database, () => claimsOf(database).deleteOne(ownClaim, inScope(database))).catch(() => undefined);
  }
}

const expiring = oncePer<Database['db']>();

/** Returns the leases of jobs. What is stored about a job expires an hour after its last run. */
export function leasesIn(database: Database): Leases {
  const claims = claimsOf(database);
  const expire = () => inWriteTime(database, () => claims.createIndex({ until: 1 }, { expireAfterSeconds: forgottenAfter }));
  return {
    hold: async (job, due, work) => {
      const named = forJob(database, job);
      await expiring(database.db, expire).catch(() => undefined); // the next run tries again
      const ownClaim = { _id: `job ${job}`, holder: (await take(named, `job ${job}`, due)) ?? '' };
      if (ownClaim.holder === '') return false;
      const lost = new AbortController();
      try {
        await renewed(named, ownClaim, { work: () => work(lost.signal), lost: () => void lost.abort() });
      } finally {
        await inWriteTime(database, () => claims.updateOne(ownClaim, ended, commentIn(named))).catch(() => undefined);
      }
      return true;
    },
  };
}

const claimsOf = ({ db }: Database) => db.collection<Claim>(collections.claims);

/** The update at the end of a lease. */
const ended = [{ $set: { until: '$$NOW' } }, { $unset: 'owner' }];

/**
 * Takes a claim. Returns the id of its holder; null if another caller has it, or the work is not due. A claim whose holder was a process
 * of this machine that has ended is free at once, instead of when it expires.
 */
async function take(database: Database, name: string, due: Due | null): Promise<string | null> {
  const holder = randomUUID();
  const attempt = () => attemptTo(database, name, takenBy(holder, due));
  let storedClaim = await attempt();
  if (storedClaim?.owner && storedClaim.holder !== holder && isGone(storedClaim.owner)) {
    const match = { _id: name, holder: storedClaim.holder };
    await inWriteTime(database, () => claimsOf(database).updateOne(match, ended, inScope(database)));
    storedClaim = await attempt();
  }
  return storedClaim?.holder === holder ? holder : null;
}

/** Returns the claim after an update; null if another instance was the first to insert it. */
async function attemptTo(database: Database, name: string, update: Document[]): Promise<Claim | null> {
  const options = { upsert: true, returnDocument: 'after', ...inScope(database) } as const;
  const taking = inWriteTime(database, () => claimsOf(database).findOneAndUpdate({ _id: name }, update, options));
  return taking.catch((error: unknown) => {
    if (!(error instanceof DuplicateKey)) throw error;
    return null;
  });
}

interface RenewedWork<Result> {
  readonly work: () => Promise<Result>;
  /** Called if another caller has the claim now, or may have it, because it could not be renewed. May be called again. */
  readonly lost: () => void;
}

/** Runs work, and renews its claim meanwhile. */
function renewed<Result>(
  database: Database,
  ownClaim: Pick<Claim, '_id' | 'holder'>,
  { work, lost }: RenewedWork<Result>,
): Promise<Result> {
  let renewedAt = performance.now();
  const renew = (): void => {
    const begun = performance.now();
    if (begun - renewedAt >= claimLifetime) lost();
    const renewing = claimsOf(database).updateOne(ownClaim, [{ $set: { until: later } }], commentIn(database));
    renewing.then(({ matchedCount }) => (matchedCount === 0 ? lost() : void (renewedAt = begun))).catch(() => undefined);
  };
  return meanwhile(claimLifetime / 3, renew, work);
}
