import type { ClientSession, MongoClient } from 'mongodb';
import type { AbandonedTransactions } from './abandoned.js';
import { markTransient, translateDriverError } from './driver-errors.js';
import { unconfirmedError } from '../errors.js';
import { requestTime, tooLate, type WaitTime, withinTime } from './within-time.js';

/** What the time that a request may wait for the database depends on: a `Database`. */
export interface TimeLimits {
  readonly maxTimeMS: { readonly read: number; readonly write: number };
  readonly time: WaitTime;
}

/** What the limits of calls depend on: a `Database`. */
interface Limits extends TimeLimits {
  readonly session: ClientSession | null;
  readonly abandoned: AbandonedTransactions;
}

/**
 * Runs a call of the driver that reads, and translates its errors. Rejects with 503 if it takes longer than a reading command may, or than
 * the request may still wait; the wait for a server and for a connection is included. The time of a transaction is limited as a whole.
 */
export const inReadTime = <Result>(
  { maxTimeMS: { read }, session, time }: Limits,
  call: (limit: number) => Promise<Result>,
): Promise<Result> => {
  const within = (limit: number): Promise<Result> => withinTime(limit, () => call(limit));
  return (session === null ? time.run(read, within) : within(read)).catch((error: unknown) => {
    throw translate(error, session);
  });
};

/** The same for a call that writes. The 503 says that the write may have been stored, unless it belongs to a transaction. */
export const inWriteTime = <Result>(
  { maxTimeMS: { write }, session, abandoned, time }: Limits,
  call: () => Promise<Result>,
): Promise<Result> => {
  if (session !== null) return translating(() => withinTime(write, call, tooLate), session);
  const within = (limit: number): Promise<Result> => withinTime(limit, call, unconfirmedError);
  return translating(() => abandoned.endWhile(() => time.run(write, within)));
};

/**
 * Waits for the result of commands of another request, which have limits of their own. Rejects with 503 if it takes longer than this request
 * may still wait for the database.
 */
export const inRequestTime = <Result>({ maxTimeMS, time }: TimeLimits, result: Promise<Result>): Promise<Result> =>
  time.run(requestTime(maxTimeMS), (limit) => withinTime(limit, () => result));

/**
 * Runs a call of the driver and translates its errors. It may take as long as it wants: for index builds, imports and other work that no
 * request waits for. `session`: of the transaction that it belongs to.
 */
export async function translating<Result>(call: () => Promise<Result>, session: ClientSession | null = null): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw translate(error, session);
  }
}

const translate = (error: unknown, session: ClientSession | null): unknown =>
  translateDriverError(session === null ? error : markTransient(error));

/** The maximum number of idle sessions that are kept. */
const mostIdle = 100;

/**
 * The sessions of commands outside of transactions. Commands use a session one after the other. The driver would make and end one for
 * each command, which takes a twentieth of the CPU of a read by id.
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

  /** A client that is closed ends all its sessions. */
  #take(): ClientSession {
    const session = this.#idle.pop();
    return session === undefined || session.hasEnded ? this.#client.startSession({ causalConsistency: false }) : session;
  }
}
