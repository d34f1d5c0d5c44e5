import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Context, Next } from 'koa';
import type { Config } from '#settings/config.js';
import { ApiError, notFoundError } from '#base/errors.js';
import { countExceeded } from '#base/limits/exceeded.js';
import type { Observer } from '#base/observe/observer.js';
import { envelopeError, isBug } from '#http/error-response.js';
import { decodeBody, isUndecoded } from '#http/request-body.js';
import { runAll } from '../routes/endpoints.js';
import { withBody } from '../routes/received-files.js';
import type { CodeHandler } from '../routes/strapi-route.js';

interface NamedMiddleware {
  readonly handler: CodeHandler;
  readonly name: string;
}

/** The middlewares of a project around all requests, in the order of Strapi v4. */
export class CodeMiddlewares {
  readonly #parts: { readonly config: Config; readonly observer: Observer };
  /** Those outside of `strapi::errors`, which see errors as answers. */
  #outer: readonly NamedMiddleware[] = [];
  #inner: readonly NamedMiddleware[] = [];
  #used = 0;
  #isRegistered = false;

  constructor(parts: { readonly config: Config; readonly observer: Observer }) {
    this.#parts = parts;
  }

  /** Adds a middleware of config/middlewares, before `strapi::errors` or after it. */
  add(middleware: NamedMiddleware, place: 'outer' | 'inner'): void {
    if (place === 'outer') this.#outer = [...this.#outer, middleware];
    else this.#inner = [...this.#inner, middleware];
  }

  /** Adds a middleware of `strapi.server.use`: during `register` before all of config/middlewares, and later after them. */
  readonly use = (handler: CodeHandler): void => {
    const middleware = { handler, name: 'strapi.server.use' };
    if (this.#isRegistered) this.add(middleware, 'inner');
    else this.#outer = this.#outer.toSpliced(this.#used++, 0, middleware);
  };

  /** Called when `register` has run. */
  endRegister(): void {
    this.#isRegistered = true;
  }

  get names(): readonly string[] {
    return [...this.#outer, ...this.#inner].map(({ name }) => name);
  }

  /**
   * Runs the middlewares, which expect a decoded body. Without middlewares, large and multipart bodies are decoded only after the
   * rights were checked.
   */
  async run(ctx: Context, next: Next): Promise<unknown> {
    if (this.#outer.length + this.#inner.length === 0) return next();
    if (isUndecoded(ctx)) await decodeBody(ctx);
    const inside = (): Promise<unknown> => runAll(handlersOf(this.#inner), ctx, () => orRefusal(ctx, next));
    return withBody(ctx, this.#parts.config, () => (this.#outer.length === 0 ? inside() : this.#runOuter(ctx, inside)));
  }

  /** Runs the outer middlewares. Errors that they leave as they are go on to the service, which answers and reports them. */
  async #runOuter(ctx: Context, inside: () => Promise<unknown>): Promise<void> {
    const failures: unknown[] = [];
    await runAll(handlersOf(this.#outer), ctx, async () => {
      const error = await inside().then(() => unanswered(ctx), thrown);
      if (error === null) return;
      failures.push(error.thrown);
      show(ctx, error.thrown);
    });
    if (failures.length === 0) return;
    const error = failures.at(-1);
    const body = envelopeError(error);
    if (isDeepStrictEqual(ctx.body, body) && ctx.status === body.error.status) throw error;
    countExceeded(error, this.#parts.observer);
    const { method, path, state } = ctx;
    const requestId = String(state['requestId']);
    if (isBug(error)) this.#parts.observer.observe({ kind: 'request failed', requestId, method, path, err: error });
  }
}

const handlersOf = (middlewares: readonly NamedMiddleware[]): readonly CodeHandler[] => middlewares.map(({ handler }) => handler);

const thrown = (error: unknown): { readonly thrown: unknown } => ({ thrown: error });

/** Returns the error of a request that nothing has answered; null if there is an answer. */
const unanswered = (ctx: Context): { readonly thrown: unknown } | null =>
  ctx.status === 404 && ctx.body === undefined && ctx.respond !== false ? thrown(notFoundError()) : null;

function show(ctx: Context, error: unknown): void {
  const body = envelopeError(error);
  if (error instanceof ApiError) ctx.set(error.headers);
  ctx.status = body.error.status;
  ctx.body = body;
}

/**
 * Runs the service. Sets the answers of refusals at once, because in Strapi v4 they are no errors, and middlewares go on after them. An
 * unknown path, or a missing entry, has no answer yet then.
 */
async function orRefusal(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof ApiError) || !isPlain(error)) throw error;
    if (error.status === 404 && ctx.body === undefined) ctx.set(error.headers);
    else show(ctx, error);
  }
}

const isPlain = ({ status, message }: ApiError): boolean =>
  status === 401 || status === 403 || (status === 404 && message === STATUS_CODES[404]);
