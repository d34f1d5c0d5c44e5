import { rateLimitError, type ApiError } from '../errors.js';

/** The state of a limit after an attempt, for the X-RateLimit headers. */
export interface Attempt {
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in seconds at which the next interval begins. */
  readonly resetsAt: number;
  readonly isOver: boolean;
}

/** Returns the headers that tell a client the state of a limit. */
export const attemptHeaders = ({ limit, remaining, resetsAt, isOver }: Attempt): Readonly<Record<string, string>> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetsAt),
  ...(isOver && { 'Retry-After': String(Math.max(resetsAt - Math.floor(Date.now() / 1000), 1)) }),
});

/** Returns the error for an attempt beyond a limit. */
export const tooMany = (attempt: Attempt): ApiError => rateLimitError(undefined, attemptHeaders(attempt));
