/** A problem of one value of a request body. `path` is split at dots and brackets. */
export interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
  readonly code?: ErrorCode;
}

/** A code by which the service recognises an error. It is never sent. */
export type ErrorCode = 'not-unique' | 'locale-taken' | 'id-taken';

/**
 * An error that the client may read. Anything else that is thrown is a bug and is answered by a 500 that says nothing.
 * `details` is null only if the answer has no such key.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    override readonly name: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> | null = {},
    /** Headers of the answer. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** Actions that the caller lacks; for the log, never sent. */
    readonly missing: readonly string[] = [],
    readonly code: ErrorCode | null = null,
  ) {
    super(message);
  }
}

/** Whether an error is the one of a code. */
export const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof ApiError && error.code === code;

export const validationError = (message: string, details: Readonly<Record<string, unknown>> = {}): ApiError =>
  new ApiError(400, 'ValidationError', message, details);

/** The error for a name in a query that does not exist or may not be read. As in Strapi v4, it names the last key only. */
export const invalidParameter = (key: string): ApiError => validationError(`Invalid parameter ${key}`);

/** The error for all problems of a body, in the form of Strapi v4: one message alone, or a count with the list in `details`. */
export const fieldErrors = (errors: readonly FieldError[]): ApiError => {
  const only = errors.length === 1 ? errors[0] : undefined;
  const listed = errors.map(({ path, message }) => ({ path, message, name: 'ValidationError' }));
  const message = only?.message ?? `${String(errors.length)} errors occurred`;
  return new ApiError(400, 'ValidationError', message, { errors: listed }, {}, [], only?.code ?? null);
};

export const paginationError = (message = 'Invalid pagination'): ApiError => new ApiError(400, 'PaginationError', message);

export const applicationError = (message: string, details: Readonly<Record<string, unknown>> = {}): ApiError =>
  new ApiError(400, 'ApplicationError', message, details);

export const badRequestError = (message: string): ApiError => new ApiError(400, 'BadRequestError', message);

/** The reason why a token is refused. Clients renew an expired token, and ask their user to log in after a revocation. */
export type TokenFault = 'token_expired' | 'token_invalid' | 'token_revoked' | 'account_blocked' | 'account_unconfirmed';

/** The answer to credentials that are missing, or refused for the reason that its header names (RFC 6750). */
export const unauthorizedError = (
  message = 'Missing or invalid credentials',
  fault: TokenFault | null = null,
  missing: readonly string[] = [],
): ApiError => {
  const reason = fault === null ? '' : ` error="invalid_token", error_description="${fault}"`;
  return new ApiError(401, 'UnauthorizedError', message, {}, { 'WWW-Authenticate': `Bearer${reason}` }, missing);
};

/** The answer to a token that is refused. Strapi v4 has a message of its own for tokens that hold, of accounts that do not. */
export const refusedToken = (fault: TokenFault): ApiError =>
  unauthorizedError(fault === 'token_expired' || fault === 'token_invalid' ? undefined : 'Invalid credentials', fault);

export const forbiddenError = (message = 'Forbidden'): ApiError => new ApiError(403, 'ForbiddenError', message);

/** The answer to a caller who lacks one of these actions, or all of them. */
export const missingActions = (missing: readonly string[], message = 'Forbidden'): ApiError =>
  new ApiError(403, 'ForbiddenError', message, {}, {}, missing);

export const policyError = (message = 'Policy Failed', details: Readonly<Record<string, unknown>> = {}): ApiError =>
  new ApiError(403, 'PolicyError', message, details);

export const notFoundError = (message = 'Not Found'): ApiError => new ApiError(404, 'NotFoundError', message);

export const payloadTooLargeError = (message = 'Entity too large'): ApiError =>
  new ApiError(413, 'PayloadTooLargeError', message);

export const rateLimitError = (message = 'Too many requests, please try again later.'): ApiError =>
  new ApiError(429, 'RateLimitError', message);

/** The database is away or too slow; the client may try again. */
export const unavailableError = (
  message = 'The database is not available, please try again later',
  details?: ApiError['details'],
): ApiError => new ApiError(503, 'ServiceUnavailableError', message, details);

/** It is not known whether what was written is stored: the database did not confirm it in time. */
export const unconfirmedError = (): ApiError =>
  unavailableError('The write could not be confirmed and may have been stored, please look before sending it again', {
    code: 'OUTCOME_UNKNOWN',
  });

/** The id that was given to a new document belongs to another one: the next attempt gets another id. */
export const idTakenError = (): ApiError =>
  new ApiError(503, 'ServiceUnavailableError', 'The entry could not be stored, please try again', {}, {}, [], 'id-taken');
