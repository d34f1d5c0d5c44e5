import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import type { Caller } from '../auth/caller.js';
import { addressKey } from '../accounts/login/limit-attempts.js';
import type { Staging } from '../media/staging.js';
import { isRecord, type Values, decodeId } from '../values.js';
import type { Sender } from '../queue.js';
import { readMultipart, type MultipartBody, type MultipartRules } from './read-multipart.js';
import { isLocal } from './is-local.js';
import { isMultipart } from './request-body.js';

/** The parameters of a path by name, decoded. */
export type RouteParams = Readonly<Record<string, string>>;

/** Reads a multipart body and stages its files. */
export type ReadMultipart = (staging: Pick<Staging, 'stage'>, rules: MultipartRules) => Promise<MultipartBody>;

/** A request as handlers see it. Its properties are getters on Koa's context, so that unused ones cost nothing. */
export class RouteRequest {
  readonly params: RouteParams;
  readonly #ctx: Context;
  /** Reads the multipart body again; undefined if it was not read before. */
  readonly #readAgain: ReadMultipart | undefined;

  constructor(ctx: Context, params: RouteParams, readAgain?: ReadMultipart) {
    this.#ctx = ctx;
    this.params = params;
    this.#readAgain = readAgain;
  }

  /** The method. HEAD is handled like GET, but the body of the answer is not sent. */
  get method(): string {
    return this.#ctx.method;
  }

  get path(): string {
    return this.#ctx.path;
  }

  /** The query string without the question mark. */
  get querystring(): string {
    return this.#ctx.querystring;
  }

  get headers(): IncomingHttpHeaders {
    return this.#ctx.req.headers;
  }

  /** The decoded JSON or form; undefined for other bodies. */
  get body(): unknown {
    return this.#ctx.request.body;
  }

  /** Address of the client. */
  get ip(): string {
    return this.#ctx.ip;
  }

  /** Whether a program on this machine sent the request. */
  get isLocal(): boolean {
    return isLocal(this.#ctx.req);
  }

  /** Whether the client prefers HTML to JSON, as browsers do. */
  get asksForPage(): boolean {
    return this.#ctx.accepts(['json', 'html']) === 'html';
  }

  /** Address of the service in the request of the client, without a trailing slash. */
  get address(): string {
    return `${this.#ctx.protocol}://${this.#ctx.host}`;
  }

  /** Reads a multipart body and stages its files; null if the request has no multipart body. */
  get readMultipart(): ReadMultipart | null {
    if (this.#readAgain !== undefined) return this.#readAgain;
    const ctx = this.#ctx;
    return isMultipart(ctx) ? (staging, rules) => readMultipart(ctx, staging, rules) : null;
  }

  /** Returns a request of the same client with other path parameters and another query string. */
  withTarget(params: RouteParams, querystring: string): RouteRequest {
    const ctx = Object.create(this.#ctx, { querystring: { value: querystring } }) as Context; // inherits the rest
    return new RouteRequest(ctx, params, this.#readAgain);
  }

  /** Returns the same request, with a multipart body that was read before. */
  withMultipart(readAgain: ReadMultipart): RouteRequest {
    return new RouteRequest(this.#ctx, this.params, readAgain);
  }

  /** The sender, identified by address. */
  get sender(): Sender {
    return senderOf(this.#ctx, null);
  }
}

/** Returns the id in the path of a request; 0, which is never the id of an entry, if there is none. */
export const idOf = ({ request }: { readonly request: RouteRequest }): number => decodeId(request.params['id']);

/** Returns the body of a request if it is an object, otherwise an empty object. */
export const bodyOf = ({ body }: RouteRequest): Values => (isRecord(body) && !Array.isArray(body) ? body : {});

/** Returns the value of a query parameter; a list if it occurs several times, undefined if it is absent. */
export function parameterOf({ querystring }: RouteRequest, name: string): string | readonly string[] | undefined {
  const values = new URLSearchParams(querystring).getAll(name);
  return values.length > 1 ? values : values[0];
}

/** Returns the value of a cookie; undefined if the client sent none of that name. */
export const cookieOf = ({ headers }: RouteRequest, name: string): string | undefined =>
  headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/**
 * Returns the key for counting a request: that of its user or token, or of its address if the caller has no credentials or is not
 * identified (null).
 */
export function clientKey({ ip }: Context, caller: Caller | null): string {
  switch (caller?.kind) {
    case undefined:
    case 'public':
      return addressKey(ip);
    case 'user':
      return `user ${String(caller.user.id)}`;
    case 'token':
      return `token ${String(caller.token.id)}`;
  }
}

/** Returns the sender of a request. Its key and signal are created on first use, because most requests use neither. */
export const senderOf = (ctx: Context, caller: Caller | null): Sender => new RequestSender(ctx, caller);

class RequestSender implements Sender {
  readonly #ctx: Context;
  readonly #caller: Caller | null;
  #client: string | null = null;
  #signal: AbortSignal | null = null;

  constructor(ctx: Context, caller: Caller | null) {
    this.#ctx = ctx;
    this.#caller = caller;
  }

  get client(): string {
    return (this.#client ??= clientKey(this.#ctx, this.#caller));
  }

  get signal(): AbortSignal {
    return (this.#signal ??= endSignal(this.#ctx));
  }
}

/** Returns a signal that aborts when the connection of a request is closed. */
function endSignal({ res }: Context): AbortSignal {
  if (res.closed) return AbortSignal.abort();
  const ended = new AbortController();
  res.once('close', () => {
    ended.abort(connectionClosed);
  });
  return ended.signal;
}

/** The reason of all these signals. Without one each signal would create an exception with a stack. */
const connectionClosed = new Error('The connection is closed');
