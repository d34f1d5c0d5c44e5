/** A problem with one value of a request body. `path` consists of names and positions. */
export interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
  readonly code?: ErrorCode;
}

/** A code by which the service itself distinguishes errors. It is never sent. */
export type ErrorCode = 'not-unique' | 'uid-taken' | 'locale-taken' | 'id-taken';

export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface ErrorParts {
  /** `details` of the answer; null only if the answer has no such key. */
  readonly details?: ErrorDetails | null;
  /** Additional headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Actions that the caller lacks; for the log, never sent. */
  readonly missing?: readonly string[];
  readonly code?: ErrorCode | null;
}

/** An error that is sent to the client. Any other thrown value is a bug, and is answered with a 500 without details. */
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

  /** Returns what an answer shows of an error that code answers as a value. As in Strapi v4, it has no status. */
  toJSON(): object {
    const { name, message, details } = this;
    return { name, message, ...(details !== null && { details }) };
  }
}

/** The request cannot be carried out. As in Strapi v4, the other classes that code throws extend this one. */
export class ApplicationError extends ApiError {
  constructor(message = 'An application error occured', details: ErrorDetails = {}, parts: ErrorParts = {}) {
    super(400, 'ApplicationError', message, { ...parts, details });
  }
}

/** The input is invalid. */
export class ValidationError extends ApplicationError {
  override readonly name: string = 'ValidationError';
}

/** The request needs credentials, or its credentials are wrong. */
export class UnauthorizedError extends ApplicationError {
  override readonly status = 401;
  override readonly name = 'UnauthorizedError';

  constructor(message = 'Unauthorized', details: ErrorDetails = {}, parts: ErrorParts = {}) {
    super(message, details, parts);
  }
}

/** The caller is not allowed to do this. */
export class ForbiddenError extends ApplicationError {
  override readonly status = 403;
  override readonly name: string = 'ForbiddenError';

  constructor(message = 'Forbidden access', details: ErrorDetails = {}, parts: ErrorParts = {}) {
    super(message, details, parts);
  }
}

/** A policy has refused the request: `new PolicyError('Only its author may', { policy: 'is-author' })`. */
export class PolicyError extends ForbiddenError {
  override readonly name = 'PolicyError';

  constructor(message = 'Policy Failed', details: ErrorDetails = {}) {
    super(message, details);
  }
}

export class NotFoundError extends ApplicationError {
  override readonly status = 404;
  override readonly name = 'NotFoundError';

  constructor(message = 'Entity not found', details: ErrorDetails = {}) {
    super(message, details);
  }
}

/** Returns whether an error has a code. */
export const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof ApiError && error.code === code;

export const validationError = (message: string, details?: ErrorDetails): ApiError => new ValidationError(message, details);

/**
 * Returns the error for a name in a query that does not exist or may not be read. As in Strapi v4, it contains only the last key.
 */
export const invalidParameter = (key: string): ApiError => validationError(`Invalid parameter ${key}`);

/**
 * Returns the error for the problems of a body, in the form of Strapi v4. The message is that of a single problem, or the number
 * of problems. `details` lists all of them.
 */
export const fieldErrors = (errors: readonly FieldError[]): ApiError => {
  const only = errors.length === 1 ? errors[0] : undefined;
  const listed = errors.map(({ path, message }) => ({ path, message, name: 'ValidationError' }));
  const message = only?.message ?? `${String(errors.length)} errors occurred`;
  return new ValidationError(message, { errors: listed }, { code: only?.code ?? null });
};

/**
 * Returns what the work does. The ValidationErrors that it throws name the value by its path: a message without one gets it, and it
 * stands before a path within the value.
 */
export function namingPath<Result>(path: readonly string[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { errors } = error.details as { readonly errors?: readonly FieldError[] };
    const within = errors ?? [{ path: [], message: error.message }];
    throw fieldErrors(within.map((one) => ({ ...one, path: [...path, ...one.path] })));
  }
}

export const paginationError = (message = 'Invalid pagination'): ApiError => new ApiError(400, 'PaginationError', message);

export const applicationError = (message: string, details?: ErrorDetails): ApiError => new ApplicationError(message, details);

export const badRequestError = (message: string): ApiError => new ApiError(400, 'BadRequestError', message);

/** The reason why a token is refused. Clients renew an expired token, and ask the user to log in again after a revocation. */
export type TokenFault = 'token_expired' | 'token_invalid' | 'token_revoked' | 'account_blocked' | 'account_unconfirmed';

/** Returns the error for missing or refused credentials. Its header names the reason of a refusal (RFC 6750). */
export const unauthorizedError = (
  message = 'Missing or invalid credentials',
  fault: TokenFault | null = null,
  missing: readonly string[] = [],
): ApiError => {
  const reason = fault === null ? '' : ` error="invalid_token", error_description="${fault}"`;
  return new UnauthorizedError(message, {}, { headers: { 'WWW-Authenticate': `Bearer${reason}` }, missing });
};

/**
 * Returns the error for a refused token. As in Strapi v4, the message is a different one if the token itself is valid but its
 * account is not.
 */
export const refusedToken = (fault: TokenFault): ApiError =>
  unauthorizedError(fault === 'token_expired' || fault === 'token_invalid' ? undefined : 'Invalid credentials', fault);

export const forbiddenError = (message = 'Forbidden'): ApiError => new ForbiddenError(message);

/** Returns the error for a caller who lacks actions. They are only logged. */
export const missingActions = (missing: readonly string[], message = 'Forbidden'): ApiError =>
  new ForbiddenError(message, {}, { missing });

export const policyError = (message?: string, details?: ErrorDetails): ApiError => new PolicyError(message, details);

export const notFoundError = (message = 'Not Found'): ApiError => new NotFoundError(message);

export const payloadTooLargeError = (message = 'Entity too large'): ApiError =>
  new ApiError(413, 'PayloadTooLargeError', message);

export const rateLimitError = (
  message = 'Too many requests, please try again later.',
  headers: Readonly<Record<string, string>> = {},
): ApiError => new ApiError(429, 'RateLimitError', message, { headers });

/**
 * Returns the error for a write of an entry that is not what the client demands. `version` is that of the entry; null if there is
 * none.
 */
export const preconditionFailed = (version: string | null): ApiError =>
  new ApiError(
    412,
    'PreconditionFailedError',
    version === null ? 'There is no such entry yet' : 'The entry has changed meanwhile',
    {
      headers: version === null ? {} : { ETag: entryTag(version, '0') },
    },
  );

/** Returns the error for a write that must name the version of the entry. */
export const preconditionRequired = (): ApiError =>
  new ApiError(428, 'PreconditionRequiredError', 'If-Match must name the ETag of the entry that is written');

/** Returns the strong tag of an entry. `view` stands for what the answer shows. */
export const entryTag = (version: string, view: string): string => `"${version}-${view}"`;

/** Returns the error for a database that is unavailable or too slow. The client may try again. */
export const unavailableError = (
  message = 'The database is not available, please try again later',
  details: ErrorDetails = {},
): ApiError => new ApiError(503, 'ServiceUnavailableError', message, { details });

/** Returns the error for a write that the database did not confirm in time, so that it may or may not be stored. */
export const unconfirmedError = (): ApiError =>
  unavailableError('The write could not be confirmed and may have been stored, please look before sending it again', {
    code: 'OUTCOME_UNKNOWN',
  });

/** Returns the error for a new document whose id is already taken. The next attempt uses another id. */
export const idTakenError = (): ApiError =>
  new ApiError(503, 'ServiceUnavailableError', 'The entry could not be stored, please try again', { code: 'id-taken' });

/** Returns the message of a thrown value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
