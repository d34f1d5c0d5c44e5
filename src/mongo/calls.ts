import type { ClientSession } from 'mongodb';
import type { AbandonedTransactions } from './abandoned.js';
import { markTransient, translateDriverError } from './driver-errors.js';
import { unconfirmedError } from '../errors.js';
import { tooLate, withinTime } from './within-time.js';

/** What the limits of calls depend on: a `Database`. */
interface Limits {
  readonly maxTimeMS: { readonly read: number; readonly write: number };
  readonly session: ClientSession | null;
  readonly abandoned: AbandonedTransactions;
}

/**
 * Runs a call of the driver that reads, and translates its errors. Rejects with 503 if it takes longer than a reading command may, the wait
 * for a server and for a connection included.
 */
export const inReadTime = <Result>({ maxTimeMS, session }: Limits, call: () => Promise<Result>): Promise<Result> =>
  withinTime(maxTimeMS.read, call).catch((error: unknown) => {
    throw translate(error, session);
  });

/** The same for a call that writes. The 503 says that the write may have been stored, unless it belongs to a transaction. */
export const inWriteTime = <Result>({ maxTimeMS, session, abandoned }: Limits, call: () => Promise<Result>): Promise<Result> =>
  session === null
    ? translating(() => abandoned.endWhile(() => withinTime(maxTimeMS.write, call, unconfirmedError)))
    : translating(() => withinTime(maxTimeMS.write, call, tooLate), session);

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
