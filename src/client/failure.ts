/** The reason why a request failed; `kind` distinguishes the cases. */
export type Failure = Error & (Refusal | Silence);

/** An error that the service has answered. */
interface FailureOf<Kind extends string> {
  readonly kind: Kind;
  readonly status: number;
  /** Name of the error in the API, for example `ValidationError`. */
  readonly name: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** `retryAfter`: seconds until the request may be repeated; null if the service does not say. */
interface Delayed {
  readonly retryAfter: number | null;
}

type Refusal =
  | (FailureOf<'invalid'> & { readonly errors: readonly WrongValue[] })
  /**
   * `reason`: `token_expired`, `token_invalid`, `token_revoked`, `account_blocked` or `account_unconfirmed`; null if credentials
   * are missing.
   */
  | (FailureOf<'unauthorized'> & { readonly reason: string | null })
  | FailureOf<'forbidden'>
  | FailureOf<'notFound'>
  | (FailureOf<'conflict'> & Delayed)
  | FailureOf<'changed'>
  | FailureOf<'tooLarge'>
  | (FailureOf<'limited'> & Delayed)
  | (FailureOf<'unavailable'> & Delayed)
  | FailureOf<'failed'>;

/** There was no answer: the network failed, the time limit was exceeded, or the signal aborted the request. */
interface Silence {
  readonly kind: 'unreachable' | 'timeout' | 'aborted';
}

/** A refused value of a request body. */
export interface WrongValue {
  readonly path: readonly string[];
  readonly message: string;
}

/** The result of a request. */
export type Attempt<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: Failure };

/** Returns the result of a request, with a Failure as a value. Throws other errors. */
export async function attempt<Value>(request: Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { ok: true, value: await request };
  } catch (error) {
    if (isFailure(error)) return { ok: false, error };
    throw error;
  }
}

export const isFailure = (error: unknown): error is Failure => error instanceof RequestError;

class RequestError extends Error {}

const kinds: Readonly<Record<number, Refusal['kind']>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  412: 'changed',
  413: 'tooLarge',
  429: 'limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** An answer, received by fetch or XMLHttpRequest. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null;
}

/** Returns the failure that an answer with an error status describes. */
export function refusal({ status, text, header }: ReceivedAnswer): Failure {
  const { name = 'Error', message = `The service answered with ${String(status)}`, details } = readError(text);
  const reason = /error_description="(\w+)"/.exec(header('www-authenticate') ?? '');
  const fields = {
    kind: kinds[status] ?? 'failed',
    status,
    name,
    details: details ?? {},
    errors: details?.['errors'] ?? [],
    reason: reason?.[1] ?? null,
    retryAfter: secondsUntil(header('retry-after')),
  };
  return Object.assign(new RequestError(message), fields) as Failure; // has fields of all kinds
}

/** Returns the failure of a request without answer. `what` is its method and address. */
export const silence = (kind: Silence['kind'], what: string, cause?: unknown): Failure =>
  Object.assign(new RequestError(`${what}: ${kind}`), { kind, cause });

interface ToldError {
  readonly name?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>> | null;
}

/** Returns the error in the body of an answer; an empty object if the body is something else, for example a page of a proxy. */
function readError(text: string): ToldError {
  try {
    return (JSON.parse(text) as { readonly error?: ToldError } | null)?.error ?? {}; // the error envelope of the API
  } catch {
    return {};
  }
}

/** Returns the seconds until the time of a Retry-After header, which is a number or a date; null if it is neither. */
function secondsUntil(time: string | null): number | null {
  if (time === null || time === '') return null;
  const seconds = Number.isNaN(Number(time)) ? (Date.parse(time) - Date.now()) / 1000 : Number(time);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** `firstWait`: milliseconds before the first retry; each further wait is twice as long. `longestWait`: maximum in seconds. */
const firstWait = 300;
const longestWait = 30;

/** Returns the milliseconds until a request is retried; null if it is not retried. */
export function waitAfter(failure: Failure, repeated: number): number | null {
  const own = firstWait * 2 ** repeated * (0.5 + Math.random());
  switch (failure.kind) {
    case 'unreachable':
    case 'timeout':
      return own;
    case 'conflict':
    case 'limited':
    case 'unavailable':
      // a conflict with a time: the first request with the key is still under way
      if (failure.retryAfter === null) return failure.kind === 'conflict' ? null : own;
      return failure.retryAfter > longestWait ? null : Math.max(own, failure.retryAfter * 1000);
    default:
      return null;
  }
}
