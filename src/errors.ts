/** A problem of one value of a request body. `path` is split at dots and brackets. */
export interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
  readonly code?: ErrorCode;
}

/** A code by which the service recognises an error. It is never sent. */
export type ErrorCode = 'not-unique' | 'uid-taken' | 'locale-taken' | 'id-taken';

export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface ErrorParts {
  /** `details` of the answer; null only if the answer has no such key. */
  readonly details?: ErrorDetails | null;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Actions that the caller lacks; for the log, never sent. */
  readonly missing?: readonly string[];
  readonly code?: ErrorCode | null;
}

/** An error that the client may read. Anything else that is thrown is a bug and is answered by a 500 without details. */
export class ApiError extends Error {
  readonly status: number;
  override readonly name: string;
  readonly details: ErrorDetails | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
  readonly code: ErrorCode | null;

  constructor(status: number, name: string, message: string, parts: ErrorParts = {}) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = parts.details === undefined ? {} : parts.details;
    this.headers = parts.headers ?? {};
    this.missing = parts.missing ?? [];
    this.code = parts.code ?? null;
  }
}

/** The input is invalid. */
export class ValidationError extends ApiError {
  constructor(message: string, details: ErrorDetails = {}, parts: ErrorParts = {}) {
    super(400, 'ValidationError', message, { ...parts, details });
  }
}

/** The request cannot be carried out. */
export class ApplicationError extends ApiError {
  constructor(message = 'An application error occurred', details: ErrorDetails = {}, parts: ErrorParts = {}) {
    super(400, 'ApplicationError', message, { ...parts, details });
  }
}

/** The request needs credentials, or its credentials are wrong. */
export class UnauthorizedError extends ApiError {
  constructor(message = 'Unauthorized', details: ErrorDetails = {}, parts: ErrorParts = {}) {
    super(401, 'UnauthorizedError', message, { ...parts, details });
  }
}

/** The caller may not do this. */
export class ForbiddenError extends ApiError {
  constructor(message = 'Forbidden access', details: ErrorDetails = {}, parts: ErrorParts = {}) {
    super(403, 'ForbiddenError', message, { ...parts, details });
  }
}

/** A policy refused: `new PolicyError('Only its author may', { policy: 'is-author' })`. */
export class PolicyError extends ApiError {
  constructor(message = 'Policy Failed', details: ErrorDetails = {}) {
    super(403, 'PolicyError', message, { details });
  }
}

export class NotFoundError extends ApiError {
  constructor(message = 'Entity not found', details: ErrorDetails = {}) {
    super(404, 'NotFoundError', message, { details });
  }
}

/** Whether an error is the one of a code. */
export const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof ApiError && error.code === code;

export const validationError = (message: string, details?: ErrorDetails): ApiError => new ValidationError(message, details);

/** The error for a name in a query that does not exist or may not be read. As in Strapi v4, it names the last key only. */
export const invalidParameter = (key: string): ApiError => validationError(`Invalid parameter ${key}`);

/** The error for all problems of a body, in the form of Strapi v4: one message alone, or a count with the list in `details`. */
export const fieldErrors = (errors: readonly FieldError[]): ApiError => {
  const only = errors.length === 1 ? errors[0] : undefined;
  const listed = errors.map(({ path, message }) => ({ path, message, name: 'ValidationError' }));
  const message = only?.message ?? `${String(errors.length)} errors occurred`;
  return new ValidationError(message, { errors: listed }, { code: only?.code ?? null });
};

export const paginationError = (message = 'Invalid pagination'): ApiError => new ApiError(400, 'PaginationError', message);

export const applicationError = (message: string, details?: ErrorDetails): ApiError => new ApplicationError(message, details);

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
  return new UnauthorizedError(message, {}, { headers: { 'WWW-Authenticate': `Bearer${reason}` }, missing });
};

/** The answer to a token that is refused. Strapi v4 has a message of its own for a valid token whose account is not. */
export const refusedToken = (fault: TokenFault): ApiError =>
  unauthorizedError(fault === 'token_expired' || fault === 'token_invalid' ? undefined : 'Invalid credentials', fault);

export const forbiddenError = (message = 'Forbidden'): ApiError => new ForbiddenError(message);

/** The answer to a caller who lacks one of these actions, or all of them. */
export const missingActions = (missing: readonly string[], message = 'Forbidden'): ApiError =>
  new ForbiddenError(message, {}, { missing });

export const policyError = (message?: string, details?: ErrorDetails): ApiError => new PolicyError(message, details);

export const notFoundError = (message = 'Not Found'): ApiError => new NotFoundError(message);

export const payloadTooLargeError = (message = 'Entity too large'): ApiError =>
  new ApiError(413, 'PayloadTooLargeError', message);

export const rateLimitError = (message = 'Too many requests, please try again later.'): ApiError =>
  new ApiError(429, 'RateLimitError', message);

/** The database is away or too slow; the client may try again. */
export const unavailableError = (
  message = 'The database is not available, please try again later',
  details: ErrorDetails = {},
): ApiError => new ApiError(503, 'ServiceUnavailableError', message, { details });

/** It is unknown whether the write is stored: the database did not confirm it in time. */
export const unconfirmedError = (): ApiError =>
  unavailableError('The write could not be confirmed and may have been stored, please look before sending it again', {
    code: 'OUTCOME_UNKNOWN',
  });

/** The id that was given to a new document belongs to another one: the next attempt gets another id. */
export const idTakenError = (): ApiError =>
  new ApiError(503, 'ServiceUnavailableError', 'The entry could not be stored, please try again', { code: 'id-taken' });
