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
export const tooManyAttempts = (attempt: Attempt): ApiError => rateLimitError(undefined, attemptHeaders(attempt));

/** A guess of a password. */
export interface Guess {
  /** The part of the keys that tells guesses at users (login) from those at administrators. */
  readonly of: 'login' | 'administrator';
  /** The name or address that somebody tries to log in with. */
  readonly identifier: string;
  /** The address of the client. */
  readonly ip: string;
  /** The id of the request, which commands to the database carry as their comment. */
  readonly requestId?: string;
  /** The mark of the client if it has logged in to the account before; null otherwise. */
  readonly clientMark: string | null;
}

/** Limits that protect accounts from strangers, and their owners from being locked out by strangers. */
export interface AccountLimits {
  /** Counts a guess before it is checked, so that concurrent guesses are limited too. Throws a RateLimitError for too many. */
  admitGuess(guess: Guess): Promise<void>;
  /** Takes back the count of a right guess. */
  forgiveGuess(guess: Guess): Promise<void>;
  /** Counts an e-mail of a kind to an address. Returns false if there were too many. */
  admitMail(kind: string, address: string): Promise<boolean>;
}

/** The name under which attempts at a route are counted. It is not the path, because a path has several spellings. */
export type LimitedRoute =
  | 'login'
  | 'register'
  | 'register-client'
  | 'forgot-password'
  | 'reset-password'
  | 'change-password'
  | 'send-email-confirmation'
  | 'connect'
  | 'refresh'
  | 'send-email'
  /** A name chosen by code of the project. */
  | `code:${string}`;

/** Counts attempts at the routes of users, each attempt under all keys that apply. */
export interface AttemptLimits extends AccountLimits {
  /**
   * Counts an attempt for its client and its sender, and stops at the first limit that is exceeded. The key that the client cannot
   * change comes before the one that contains its input, so that it cannot store any number of counts. Returns the state of the
   * exceeded limit, else that of the sender.
   */
  count(route: LimitedRoute, body: Readonly<Record<string, unknown>>, ip: string, requestId?: string): Promise<Attempt>;
}

/** Counts wrong guesses of a secret, per client. Right guesses are never counted or refused. */
export type GuessLimit = (ip: string, requestId?: string) => Promise<Attempt>;
