import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import { addressKey } from '#base/limits/client-of.js';
import type { Staging } from '#media/staging.js';
import { isRecord, type Values, decodeId } from '#base/values.js';
import { endOf, type Ending } from '#base/limits/ending.js';
import type { Sender } from '#base/limits/queue.js';
import type { TraceHeaders } from '#base/observe/trace-link.js';
import { readMultipart, type MultipartBody, type MultipartRules } from './read-multipart.js';
import { isLocal } from './is-local.js';
import { isMultipart } from './request-body.js';
import type { RequestState } from './observe-requests.js';
import { type QueryParameters, readQuery } from './query-string.js';

/** The parameters of a path by name, decoded. */
export type RouteParams = Readonly<Record<string, string>>;

/** Reads a multipart body and stages its files. */
export type ReadMultipart = (staging: Pick<Staging, 'stage'>, rules: MultipartRules) => Promise<MultipartBody>;

/** The parts of a request that code of a project has replaced, or that a request of a batch has instead of those of the batch. */
interface ReplacedParts {
  readonly method?: string;
  readonly path?: string;
  readonly query?: QueryParameters;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: unknown;
}

/**
 * A request as handlers see it. Its properties are getters on Koa's context, so that unused ones cost nothing, and that handlers see
 * what code of a project has changed there.
 */
export class RouteRequest {
  readonly params: RouteParams;
  readonly #ctx: Context;
  readonly #replaced: ReplacedParts;

  constructor(ctx: Context, params: RouteParams, replaced: ReplacedParts = {}) {
    this.#ctx = ctx;
    this.params = params;
    this.#replaced = replaced;
  }

  /** The method. HEAD is handled like GET, but the body of the answer is not sent. */
  get method(): string {
    return this.#replaced.method ?? this.#ctx.method;
  }

  get path(): string {
    return this.#replaced.path ?? this.#ctx.path;
  }

  /** The query string as it was sent, or as code has set it, without the question mark. */
  get querystring(): string {
    const { query } = this.#replaced;
    return typeof query === 'string' ? query : this.#ctx.querystring;
  }

  /** The query string as the client has sent it, whatever code has set since. */
  get sentQuerystring(): string {
    const { originalUrl } = this.#ctx;
    const start = originalUrl.indexOf('?');
    return start === -1 ? '' : originalUrl.slice(start + 1);
  }

  get query(): QueryParameters {
    return this.#replaced.query ?? readQuery(this.#ctx.request) ?? this.#ctx.querystring;
  }

  get headers(): IncomingHttpHeaders {
    return this.#replaced.headers ?? this.#ctx.req.headers;
  }

  /** The decoded JSON or form; undefined for other bodies. */
  get body(): unknown {
    return 'body' in this.#replaced ? this.#replaced.body : this.#ctx.request.body;
  }

  /** The id of the request in logs. */
  get requestId(): string {
    return requestIdOf(this.#ctx);
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
    const ctx = this.#ctx;
    const readAgain = replays.get(ctx.req);
    if (readAgain !== undefined) return readAgain;
    return isMultipart(ctx) ? (staging, rules) => readMultipart(ctx, staging, rules) : null;
  }

  /** Returns a request of the same client with other path parameters, and with these parts in place of its own. */
  with(params: RouteParams, replaced: ReplacedParts): RouteRequest {
    return new RouteRequest(this.#ctx, params, { ...this.#replaced, ...replaced });
  }

  /** What code of a project sees of the request in Koa's `ctx.state`. */
  get state(): object {
    return this.#ctx.state;
  }

  /** The sender, identified by address. */
  get sender(): Sender {
    return senderOf(this.#ctx, null);
  }
}

const replays = new WeakMap<IncomingMessage, ReadMultipart>();

/** Lets handlers of a request read its multipart body by this function, because it was read before. */
export const replayMultipart = ({ req }: Context, readAgain: ReadMultipart): void => void replays.set(req, readAgain);

/** Returns the id in the path of a request; 0, which is never the id of an entry, if there is none. */
export const idOf = ({ request }: { readonly request: RouteRequest }): number => decodeId(request.params['id']);

/** Returns the body of a request if it is an object, otherwise an empty object. */
export const bodyOf = ({ body }: RouteRequest): Values => (isRecord(body) && !Array.isArray(body) ? body : {});

/** Returns the value of a query parameter; a list if it occurs several times, undefined if it is absent. */
export function parameterOf({ query }: RouteRequest, name: string): string | readonly string[] | undefined {
  const values = typeof query === 'string' ? new URLSearchParams(query).getAll(name) : textsOf(query[name]);
  return values.length > 1 ? values : values[0];
}

/** Returns the values of a parameter that code may have set. */
const textsOf = (value: unknown): readonly string[] => [value ?? []].flat(1).map(String);

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

/** Returns the id of a request. */
export const requestIdOf = ({ state }: Context): string => (state as RequestState).requestId; // set by the first middleware

/** Returns the sender of a request. Its key and signal are created on first use, because most requests use neither. */
export const senderOf = (ctx: Context, caller: Caller | null): Sender => new RequestSender(ctx, caller);

class RequestSender implements Sender {
  readonly #ctx: Context;
  readonly #caller: Caller | null;
  #client: string | null = null;
  #signal: Ending | null = null;

  constructor(ctx: Context, caller: Caller | null) {
    this.#ctx = ctx;
    this.#caller = caller;
  }

  get caller(): NonNullable<Sender['caller']> {
    const caller = this.#caller;
    if (caller?.kind === 'user') return { kind: 'user', id: caller.user.id };
    return caller?.kind === 'token' ? { kind: 'token', id: caller.token.id } : { kind: 'public', id: null };
  }

  get requestId(): string {
    return requestIdOf(this.#ctx);
  }

  get trace(): TraceHeaders | undefined {
    return (this.#ctx.state as RequestState).trace;
  }

  get client(): string {
    return (this.#client ??= clientKey(this.#ctx, this.#caller));
  }

  get signal(): Ending {
    return (this.#signal ??= endOf(this.#ctx.res));
  }
}
