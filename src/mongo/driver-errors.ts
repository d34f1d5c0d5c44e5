import {
  type Document,
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import { ApiError, unavailableError, unconfirmedError, validationError } from '../errors.js';

/** A unique index refused a write. `fields`: the document paths of the index. */
export class DuplicateKey extends Error {
  constructor(
    readonly fields: readonly string[],
    readonly value: Readonly<Record<string, unknown>>,
  ) {
    super(`duplicate value for ${fields.join(', ')}`);
  }
}

/** A write of documents that have one value where their model has a list now. `matches`: the documents of the write. */
export class StaleForm extends Error {
  constructor(
    readonly collection: string,
    readonly matches: readonly Document[],
    cause: unknown,
  ) {
    super(`documents of ${collection} have the form of a former model`, { cause });
  }
}

/** A set of MongoDB's error codes, written with their names. */
const codes = (named: Readonly<Record<string, number>>): ReadonlySet<number> => new Set(Object.values(named));

const timedOut = codes({ MaxTimeMSExpired: 50, ExceededTimeLimit: 262, LockTimeout: 24 });

/** A document or an array that grew beyond what the server keeps of one, in a reply or on the way to it. */
const tooLarge = codes({
  ExceededMemoryLimit: 146,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  BSONObjectTooLarge: 10334,
  KeyTooLong: 17280,
  // The server has no names for these two: results of a $lookup, and a document after an update.
  lookupTooLarge: 4568,
  updatedTooLarge: 17419,
});

const interrupted = codes({
  InterruptedAtShutdown: 11600,
  InterruptedDueToReplStateChange: 11602,
  NotWritablePrimary: 10107,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  PrimarySteppedDown: 189,
  ShutdownInProgress: 91,
  HostUnreachable: 6,
  HostNotFound: 7,
  NetworkTimeout: 89,
  SocketException: 9001,
  FailedToSatisfyReadPreference: 133,
  // An index or a collection was dropped while a command read it.
  QueryPlanKilled: 175,
});

const duplicateKey = 11000;
const badValue = 2;
const pathNotViable = 28;
/** Somebody ended the operation on the server. */
const ended = 11601;
const indexNotFound = 27;

/**
 * Translates an error of the driver: 503 for a database that is unreachable or too slow, 400 for a query that needs too much
 * memory, DuplicateKey for a duplicate key. Other errors are bugs and stay unchanged, as do errors that transactions are retried
 * on.
 */
export function translateDriverError(thrown: unknown): unknown {
  const error = findBroken(thrown);
  if (!(error instanceof MongoError) || isTransient(error)) return error;
  if (error instanceof MongoWriteConcernError) return unconfirmedError();
  if (error instanceof MongoServerError) return translateServerError(error);
  const isAway =
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error.name === 'MongoWaitQueueTimeoutError' ||
    error.name === 'MongoPoolClearedError' ||
    error.name === 'MongoOperationTimeoutError';
  return isAway ? unavailableError() : error;
}

function translateServerError(error: MongoServerError): unknown {
  const code = Number(error.code);
  if (code === duplicateKey) {
    const value = (error['keyValue'] ?? {}) as Readonly<Record<string, unknown>>; // given by every server since 4.2
    const pattern = error['keyPattern'] as object | undefined;
    return new DuplicateKey(pattern === undefined ? namedField(error.message) : Object.keys(pattern), value);
  }
  if (tooLarge.has(code)) return validationError(tooMuchMemory, { code: queryTooLarge });
  if (timedOut.has(code)) return unavailableError(tooSlow, { code: queryTimeout });
  // Another instance has dropped a full-text index after a change of the model that this one has not received yet.
  if (code === indexNotFound) return unavailableError('The full-text index is being built, please try again later');
  return code === ended || interrupted.has(code) ? unavailableError() : error;
}

/**
 * Returns the first field that the message of a duplicate key names: `... dup key: { isbn: "1" }`. Of a write that is one of several, the
 * driver keeps the message only.
 */
const namedField = (message: string): string[] => (/ dup key: \{ (\S+): /.exec(message) ?? []).slice(1);

const tooMuchMemory = 'The request needs more memory than the database has for one query: ask for less, or sort by less';
const queryTooLarge = 'QUERY_TOO_LARGE';

const tooSlow = 'The database took too long to answer, please try again or ask for less';
const queryTimeout = 'QUERY_TIMEOUT';

/** Whether an update takes a value for a list, or a number for an object with fields. */
export const isOtherForm = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError && [badValue, pathNotViable].includes(Number(error.code));

/** Whether a command names an index that is not there, or not yet. */
export const isWithoutIndex = (error: unknown): boolean => error instanceof MongoServerError && Number(error.code) === badValue;

/** Whether the time limit of a command was hit. */
export const isTimedOut = (error: unknown): boolean => error instanceof ApiError && error.details?.['code'] === queryTimeout;

/** Whether a query needed too much memory. */
export const isTooLarge = (error: unknown): boolean => error instanceof ApiError && error.details?.['code'] === queryTooLarge;

/** Error codes of sockets, which the driver passes on unchanged if they break while it writes. */
const socketErrors = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Returns the broken connection behind an error of the driver, which it does not always show as such; any other error as it is. */
function findBroken(error: unknown): unknown {
  const cause: unknown = error instanceof MongoBulkWriteError ? (Reflect.get(error, 'errorResponse') ?? error) : error;
  if (cause instanceof MongoNetworkError) return cause;
  const isBroken = cause instanceof Error && 'code' in cause && socketErrors.has(String(cause.code));
  return isBroken ? new MongoNetworkError(cause.message, { cause }) : error;
}

/** Marks a broken connection as what makes a transaction run again, as the driver does for most. */
export function markTransient(error: unknown): unknown {
  const found = findBroken(error);
  if (found instanceof MongoNetworkError) found.addErrorLabel('TransientTransactionError');
  return found;
}

/** Whether a transaction may succeed if it is run again. */
export const isTransient = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');

/** Whether two writers wanted the same document. One of them was refused, and may try again at once. */
export const isConflict = (error: unknown): boolean => error instanceof MongoServerError && Number(error.code) === 112;

/**
 * Whether a transaction may have been committed, though the answer does not say so. A connection that breaks while a commit is sent is an
 * error without labels, of which the driver asks for some.
 */
export const isCommitUnknown = (error: unknown): boolean =>
  error instanceof MongoError
    ? error.hasErrorLabel('UnknownTransactionCommitResult')
    : error instanceof TypeError && error.message.includes('hasErrorLabel');

/** Whether an update outside of a transaction would take a document to another shard. */
export const isMove = (error: unknown): boolean =>
  error instanceof MongoServerError && error.codeName === 'IllegalOperation' && error.message.includes('shard key');

/** Codes of servers that refuse a write because they are no primaries. */
const refused = new Set([10107, 13435, 13436]);

/** Returns whether a write that was interrupted may have been carried out all the same. */
export function mayHaveRun(thrown: unknown): boolean {
  const error = findBroken(thrown);
  if (error instanceof MongoServerError) return interrupted.has(Number(error.code)) && !refused.has(Number(error.code));
  return error instanceof MongoNetworkError && error.name !== 'MongoPoolClearedError';
}

/** Returns whether a connection broke or a failover happened, so that a second attempt may reach a primary. */
export function isInterrupted(thrown: unknown): boolean {
  const error = findBroken(thrown);
  return error instanceof MongoNetworkError || (error instanceof MongoServerError && interrupted.has(Number(error.code)));
}
