import {
  type ClientSession,
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import {
  badValue,
  duplicateKey,
  operationInterrupted,
  indexNotFound,
  interrupted,
  noPlan,
  pathNotViable,
  timedOut,
  tooLarge,
  typeMismatch,
  unknownTimeZone,
} from './error-codes.js';
import { ApiError, unavailableError, unconfirmedError, validationError } from '#base/errors.js';

/**
 * The error of a write that a unique index refused. `fields` are the document paths of the index. `mayBeOwn`: an earlier attempt,
 * whose reply was lost, may have stored the value.
 */
export class DuplicateKey extends Error {
  constructor(
    readonly fields: readonly string[],
    readonly value: Readonly<Record<string, unknown>>,
    readonly mayBeOwn = false,
  ) {
    super(`duplicate value for ${fields.join(', ')}`);
  }
}

/**
 * The error of a write in a transaction to documents that store one value where their model now has a list. `complete` converts
 * the documents outside the transaction, and returns whether there were any.
 */
export class StaleForm extends Error {
  constructor(
    collection: string,
    readonly complete: () => Promise<boolean>,
    cause: unknown,
  ) {
    super(`documents of ${collection} have the form of a former model`, { cause });
  }
}

/**
 * Translates an error of the driver: 503 for a database that is unreachable or too slow, 400 for a query that needs too much
 * memory, DuplicateKey for a duplicate key. Other errors are bugs and stay unchanged, as do errors after which transactions are
 * retried.
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
  if (code === unknownTimeZone) return validationError('Invalid parameter timezone: the database does not know this time zone');
  return code === operationInterrupted || interrupted.has(code) ? unavailableError() : error;
}

/**
 * Returns the first field that the message of a duplicate key names: `... dup key: { isbn: "1" }`. For writes in bulk the driver
 * keeps only the message.
 */
const namedField = (message: string): string[] => (/ dup key: \{ (\S+): /.exec(message) ?? []).slice(1);

const tooMuchMemory = 'The request needs more memory than the database has for one query: ask for less, or sort by less';
const queryTooLarge = 'QUERY_TOO_LARGE';

const tooSlow = 'The database took too long to answer, please try again or ask for less';
const queryTimeout = 'QUERY_TIMEOUT';

/** Returns whether an update failed because it expected a list, an object or a number where another value is stored. */
export const isOtherForm = (error: unknown): boolean =>
  error instanceof MongoServerError &&
  (error.code === pathNotViable ||
    error.code === typeMismatch ||
    (error instanceof MongoBulkWriteError && Number(error.code) === badValue));

/** Returns whether a command failed because the index that it names does not exist, or not yet. */
export const isWithoutIndex = (error: unknown): boolean =>
  error instanceof MongoServerError && [badValue, noPlan].includes(Number(error.code));

/** Returns whether a command exceeded its time limit. */
export const isTimedOut = (error: unknown): boolean => error instanceof ApiError && error.details?.['code'] === queryTimeout;

/** Returns whether a query needed too much memory. */
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

/**
 * Returns the network error behind an error of the driver, which does not always have that type, and the driver's own error behind that
 * of a write in bulk; other errors unchanged.
 */
function findBroken(error: unknown): unknown {
  const cause: unknown = error instanceof MongoBulkWriteError ? (Reflect.get(error, 'errorResponse') ?? error) : error;
  if (cause instanceof MongoNetworkError) return cause;
  const isBroken = cause instanceof Error && 'code' in cause && socketErrors.has(String(cause.code));
  if (isBroken) return new MongoNetworkError(cause.message, { cause });
  return cause instanceof MongoError && !(cause instanceof MongoServerError) ? cause : error;
}

/** The label of errors after which a transaction may be run again. */
const transientLabel = 'TransientTransactionError';

/** The code of the error of a write that was refused because another one changed the same document. */
const conflictCode = 112;

/** Returns the error that a server reports for a conflict, after which a transaction is run again. */
export const conflictError = (message: string): MongoServerError =>
  new MongoServerError({ message, code: conflictCode, errorLabels: [transientLabel] });

/** Labels a network error as one after which a transaction is retried. The driver does so for most of them. */
function markTransient(error: unknown): unknown {
  const cause = findBroken(error);
  if (cause instanceof MongoNetworkError) cause.addErrorLabel(transientLabel);
  return cause;
}

/** Returns whether a transaction may succeed if it is run again. */
export const isTransient = (error: unknown): boolean => error instanceof MongoError && error.hasErrorLabel(transientLabel);

/** Returns whether a write was refused because another one changed the same document. It may be retried at once. */
export const isConflict = (error: unknown): boolean => error instanceof MongoServerError && Number(error.code) === conflictCode;

/**
 * Returns whether an error of a commit leaves open whether the transaction was committed. If a connection breaks while a commit is
 * sent, the error has no labels, and the driver may throw a TypeError when it looks for them.
 */
export function isCommitUnknown(error: unknown): boolean {
  if (error instanceof TypeError) return error.message.includes('hasErrorLabel');
  if (error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')) return true;
  return isInterrupted(error) && !isTransient(error);
}

/** Returns whether an update outside of a transaction would move a document to another shard. */
export const isMove = (error: unknown): boolean =>
  error instanceof MongoServerError && error.codeName === 'IllegalOperation' && error.message.includes('shard key');

/** Error codes of servers that refuse a write because they are not primary. */
const refused = new Set([10107, 13435, 13436]);

/** Returns whether a write that was interrupted may have been carried out nevertheless. */
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

/**
 * Runs a call of the driver and translates its errors. There is no time limit: for index builds, imports and other work that no
 * request waits for. `session` is that of the transaction that the call belongs to.
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
