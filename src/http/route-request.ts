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

/** Reads a multipart body, its files into a staging. */
export type ReadMultipart = (staging: Pick<Staging, 'stage'>, rules: MultipartRules) => Promise<MultipartBody>;

/** A request as handlers see it. Its parts are getters on Koa's context, so that unused ones cost nothing. */
export class RouteRequest {
  readonly params: RouteParams;
  readonly #ctx: Context;
  /** Undefined: the body has not been read. */
  readonly #readAgain: ReadMultipart | undefined;

  constructor(ctx: Context, params: RouteParams, readAgain?: ReadMultipart) {
    this.#ctx = ctx;
    this.params = params;
    this.#readAgain = readAgain;
  }

  /** HEAD is handled as GET is; the body of the answer is not sent. */
  get method(): string {
    return this.#ctx.method;
  }

  get path(): string {
    return this.#ctx.path;
  }

  /** Without the question mark. */
  get querystring(): string {
    return this.#ctx.querystring;
  }

  get headers(): IncomingHttpHeaders {
    return this.#ctx.req.headers;
  }

  /** The decoded JSON body or form; undefined for other bodies. */
  get body(): unknown {
    return this.#ctx.request.body;
  }

  /** Address of the client. */
  get ip(): string {
    return this.#ctx.ip;
  }

  /** Whether a program of this machine has sent it, for no other client. */
  get isLocal(): boolean {
    return isLocal(this.#ctx.req);
  }

  /** Whether the client prefers HTML to JSON, as browsers do for a page. */
  get asksForPage(): boolean {
    return this.#ctx.accepts(['json', 'html']) === 'html';
  }

  /** Address of the service as the client has named it, without a slash at the end. */
  get address(): string {
    return `${this.#ctx.protocol}://${this.#ctx.host}`;
  }

  /** Reads a multipart body, its files into a staging; null if the request has none. */
  get readMultipart(): ReadMultipart | null {
    if (this.#readAgain !== undefined) return this.#readAgain;
    const ctx = this.#ctx;
    return isMultipart(ctx) ? (staging, rules) => readMultipart(ctx, staging, rules) : null;
  }

  /** Returns a request of the same client to a path with other parameters and another query. */
  withTarget(params: RouteParams, querystring: string): RouteRequest {
    const ctx = Object.create(this.#ctx, { querystring: { value: querystring } }) as Context; // has all that it is made from
    return new RouteRequest(ctx, params, this.#readAgain);
  }

  /** Returns the same request, whose multipart body was read before. */
  withMultipart(readAgain: ReadMultipart): RouteRequest {
    return new RouteRequest(this.#ctx, this.params, readAgain);
  }

  /** The sender of the request, identified by its address. */
  get sender(): Sender {
    return senderOf(this.#ctx, null);
  }
}

/** Returns the id in the path of a request; 0, which no entry has, if it names none. */
export const idOf = ({ request }: { readonly request: RouteRequest }): number => decodeId(request.params['id']);

/** Returns the body of a request as an object, empty if there is none or it has another form. */
export const bodyOf = ({ body }: RouteRequest): Values => (isRecord(body) && !Array.isArray(body) ? body : {});

/** Returns the value of a parameter of the query string; a list if it comes several times, undefined if it does not. */
export function parameterOf({ querystring }: RouteRequest, name: string): string | readonly string[] | undefined {
  const values = new URLSearchParams(querystring).getAll(name);
  return values.length > 1 ? values : values[0];
}

/** Returns the value of a cookie; undefined if the client sends none of that name. */
export const cookieOf = ({ headers }: RouteRequest, name: string): string | undefined =>
  headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/**
 * Returns the key that a request counts for: its user or token; its address without credentials, or if the caller is not
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

/** Returns the sender of a request. Key and signal are created on first use; most requests use neither. */
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

/** Returns a signal that is aborted when the connection of a request is closed. */
function endSignal({ res }: Context): AbortSignal {
  if (res.closed) return AbortSignal.abort();
  const ended = new AbortController();
  res.once('close', () => {
    ended.abort(connectionClosed);
  });
  return ended.signal;
}

/** Without a reason each signal would make an exception with a stack. */
const connectionClosed = new Error('The connection is closed');
