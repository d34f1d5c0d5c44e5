import { countExceeded, exceeding } from '#base/limits/exceeded.js';
import type { Context, Middleware } from 'koa';
import { ApiError, notFoundError } from '#base/errors.js';
import { isHttpError } from '#base/http-errors.js';
import type { Observer } from '#base/observe/observer.js';
import type { RequestState } from './observe-requests.js';

/** An error of a request, and what a client may read of it. */
interface RequestError {
  readonly thrown: unknown;
  readonly status: number;
  readonly message: string;
}

/** Returns the body of the answer to an error, and further headers. */
export type ErrorAnswer = (error: RequestError) => {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
};

/**
 * Answers errors with the error envelope, or with the answer that `errorAnswer` returns, and unanswered requests with 404. Reports
 * unexpected errors. Headers that were set before are kept. A 503, of code too, says when to try again.
 */
export function errorResponse(observer: Observer, errorAnswer?: ErrorAnswer): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) answer(ctx, notFoundError(), errorAnswer);
    } catch (thrown) {
      const { method, path, state } = ctx;
      countExceeded(thrown, observer);
      if (isBug(thrown)) observer.observe({ kind: 'request failed', requestId: state.requestId, method, path, err: thrown });
      answer(ctx, thrown, errorAnswer);
    }
    if (ctx.status === 503 && !ctx.response.get('Retry-After')) ctx.set('Retry-After', '1');
  };
}

/** Returns whether an error is none that a client may read. */
export const isBug = (thrown: unknown): boolean => !(thrown instanceof ApiError) && envelopeError(thrown).error.status === 500;

function answer(ctx: Context, thrown: unknown, errorAnswer: ErrorAnswer | undefined): void {
  const envelope = envelopeError(thrown);
  const { status, message } = envelope.error;
  const headers = thrown instanceof ApiError ? thrown.headers : {};
  const { body, headers: others } = errorAnswer?.({ thrown, status, message }) ?? { body: envelope, headers: {} };
  ctx.status = status;
  ctx.set({ ...headers, ...others });
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(body);
}

/** The body of an error answer. `details` is absent if the error has none. */
interface ErrorEnvelope {
  readonly data: null;
  readonly error: { readonly status: number; readonly name: string; readonly message: string; readonly details?: unknown };
}

/**
 * Returns the body for a thrown value: an ApiError with all its parts; another error with a 4xx status, of Koa or a body parser,
 * with its name and message, or of `ctx.throw` or http-errors in project code with any status; a plain 500 for anything else.
 */
export function envelopeError(thrown: unknown): ErrorEnvelope {
  if (thrown instanceof ApiError) return envelope(thrown.status, thrown.name, thrown.message, thrown.details ?? undefined);
  const status = isHttpError(thrown) ? thrown.status : clientStatus(thrown);
  if (status === null || !(thrown instanceof Error))
    return envelope(500, 'InternalServerError', 'Internal Server Error', undefined);
  return envelope(status, thrown.name, thrown.message, Reflect.get(thrown, 'details'));
}

/** Returns the 4xx status of an error, under either name; null if it has none. */
function clientStatus(thrown: unknown): number | null {
  const { status: own, statusCode } = Object(thrown) as { readonly status?: unknown; readonly statusCode?: unknown }; // checked below
  const status = own ?? statusCode;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500 ? status : null;
}

const envelope = (status: number, name: string, message: string, details: unknown): ErrorEnvelope => ({
  data: null,
  error: details === undefined ? { status, name, message } : { status, name, message, details },
});

/** Returns an error that is answered without `details`, as Strapi v4 does for errors outside of its API. */
export const rawError = (status: number, name: string, message: string): Error =>
  Object.assign(new Error(message), { status, name });

/** The settings of the sizes of bodies. */
export type BodyLimit = 'jsonLimit' | 'formLimit';

export const bodyTooLarge = (setting: BodyLimit): Error =>
  exceeding(`middlewares.body.${setting}`, rawError(413, 'PayloadTooLargeError', 'request entity too large'));

export const bodyInvalid = (message: string): Error => rawError(400, 'BadRequestError', message);
