import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, type MongoClient, Timestamp } from 'mongodb';
import type { AbandonedTransactions } from './abandoned.js';
import { isInterrupted, mayHaveRun, translating } from './driver-errors.js';
import { unconfirmedError } from '#base/errors.js';
import type { Budget } from '#base/limits/budget.js';
import { grace, type WaitTime, withinTime } from '#base/limits/clock.js';

/** The part of a `Database` that limits how long a request may wait for the database. */
export interface TimeLimits {
  readonly maxTimeMS: { readonly read: number; readonly write: number };
  readonly time: WaitTime;
}

/** The part of a `Database` that limits calls of the driver. */
interface Limits extends TimeLimits {
  readonly session: ClientSession | null;
  readonly abandoned: AbandonedTransactions;
}

/** Notes the place of a stored write, given the operation time of its reply. Only replies of a replica set have one. */
export function notePosition({ budget }: { readonly budget: Budget }, time: unknown): void {
  if (time instanceof Timestamp) budget.notePosition(time.toBigInt());
}

/** Returns the milliseconds that the work of a transaction may take, given the limit of a write. */
export const workTime = (write: number): number => 3 * write;

/** Returns the milliseconds that a request may wait for the database, given the limits of its commands. */
export const requestTime = ({ read, write }: TimeLimits['maxTimeMS']): number => 1.5 * Math.max(read, write);

/**
 * Runs a call of the driver that reads, and translates its errors. Rejects with a 503 if the call takes longer than a read may,
 * or than the request may still wait. This includes the wait for a server and a connection. The time of a transaction is limited
 * as a whole.
 */
export const inReadTime = <Result>(
  { maxTimeMS: { read }, session, time }: Limits,
  call: (limit: number) => Promise<Result>,
): Promise<Result> => {
  const within = (limit: number): Promise<Result> => withinTime(limit + grace, () => call(limit));
  return translating(() => (session === null ? time.run(read, within) : within(read)), session);
};

/** Does the same for a call that writes. The 503 says that the write may have been stored, unless it belongs to a transaction. */
export const inWriteTime = <Result>(
  { maxTimeMS: { write }, session, abandoned, time }: Limits,
  call: () => Promise<Result>,
): Promise<Result> => {
  if (session !== null) return translating(() => withinTime(write + grace, call), session);
  const sent = (): Promise<Result> =>
    call().catch((error: unknown) => {
      throw mayHaveRun(error) ? unconfirmedError() : error;
    });
  const within = (limit: number): Promise<Result> => withinTime(limit + grace, sent, unconfirmedError);
  return translating(() => abandoned.endWhile(() => time.run(write, within)));
};

/**
 * Waits for the result of commands of another request, which have limits of their own. Rejects with a 503 if this request has
 * waited too long for the database.
 */
export const inRequestTime = <Result>({ maxTimeMS, time }: TimeLimits, result: Promise<Result>): Promise<Result> =>
  time.run(requestTime(maxTimeMS), (limit) => withinTime(limit + grace, () => result));

/**
 * Runs a command, and repeats it after a failover or a broken connection, until the limit in milliseconds is over. Several
 * attempts may be needed, because a former primary refuses commands until the driver has found the new one.
 */
export async function untilAnswered<Reply>(limit: number, run: () => Promise<Reply>): Promise<Reply> {
  const end = performance.now() + limit;
  for (let pause = 0; ; pause = Math.min(2 * pause + 20, 500))
    try {
      return await run();
    } catch (error) {
      if (!isInterrupted(error) || performance.now() + pause > end) throw error;
      if (pause > 0) await delay(pause);
    }
}

/** Maximum number of idle sessions. */
const mostIdle = 100;

/**
 * A pool of sessions for commands outside of transactions. By itself the driver makes and ends a session for each command, which
 * takes a twentieth of the CPU of a read by id.
 */
export class Sessions {
  readonly #client: MongoClient;
  readonly #idle: ClientSession[] = [];

  constructor(client: MongoClient) {
    this.#client = client;
  }

  /** Runs a call with a session that no other call uses meanwhile. */
  async run<Result>(call: (session: ClientSession) => Promise<Result>): Promise<Result> {
    const session = this.#take();
    let isKept = false;
    try {
      const result = await call(session);
      isKept = !session.isPinned && this.#idle.length < mostIdle;
      return result;
    } finally {
      if (isKept) this.#idle.push(session);
      else await session.endSession();
    }
  }

  /** Returns an idle session that has not ended, or a new one. Closing the client ends all sessions. */
  #take(): ClientSession {
    const session = this.#idle.pop();
    return session === undefined || session.hasEnded ? this.#client.startSession({ causalConsistency: false }) : session;
  }
}
