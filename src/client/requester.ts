import { refusal, silence, type Failure, type ReceivedAnswer, waitAfter } from './failure.js';
import { keepSession, type Session, type SessionKeeper, type SessionStore } from './session.js';
import { pause, transmit, type Fetch, type Progress, type Signal } from './transport.js';
import { writeQuery } from './query.js';

export interface ClientOptions {
  /** Address of the service: `https://cms.example.org`. */
  readonly url: string;
  /** Prefix of API paths; `/api` by default. */
  readonly prefix?: string;
  /** An API token, which is sent while no user is logged in. */
  readonly token?: string;
  /** The store of the session; in memory by default. */
  readonly store?: SessionStore;
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until a request without answer fails; 30,000 by default, 0 for no limit. */
  readonly timeout?: number;
  /** Maximum number of retries, if the service is unreachable or asks to retry; 2 by default. */
  readonly retries?: number;
  /** Whether writes have an Idempotency-Key, with which they are retried too; true by default. */
  readonly keys?: boolean;
  /** Whether to keep recent answers, and to read again only what has changed since. */
  readonly cache?: boolean;
  /** A replacement for the global fetch. */
  readonly fetch?: Fetch;
}

export interface CallOptions {
  /** An AbortSignal. */
  readonly signal?: Signal;
  /** Milliseconds; overrides the setting of the client. */
  readonly timeout?: number;
  /** The Idempotency-Key of a write, to send it again after a restart of the application; a new one by default. */
  readonly key?: string;
  /** Further options of fetch, such as `cache`. */
  readonly init?: object;
  /** Returns whether the request may be sent with the token of a session; otherwise the failure is `aborted`. */
  readonly admits?: (jwt: string | undefined) => boolean;
  /** The answer with the entry as it must still be when it is written, or the `ETag` of that. Otherwise the failure is `changed`. */
  readonly ifMatch?: string | object;
}

/** A request to the API. */
export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the API prefix. */
  readonly path: string;
  readonly query?: object | undefined;
  /** The body, which is sent as JSON unless it is a FormData. */
  readonly body?: object | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Whether to send no credentials. */
  readonly isOpen?: boolean;
}

/** Sends requests with the credentials of the session, or else the API token. */
export interface Requester {
  readonly session: SessionKeeper;
  /** Sends a request. Returns the body of the answer; undefined if there is none. Throws a Failure. */
  send(call: Call): Promise<unknown>;
  /** Returns the place of a write among all writes, by its answer; null if the answer names none. */
  positionOf(answer: object): string | null;
}

/** A request, its key, and how often it was sent before. */
interface Attempt {
  readonly call: Call;
  /** Null for reads, and for writes without a key, which are sent once. */
  readonly key: string | null;
  readonly repeated: number;
}

export function createRequester(options: ClientOptions): Requester {
  const { retries = 2, store, token } = options;
  let { keys = true } = options;
  const positions = new WeakMap<object, string>();
  const sendOnce = sender(options, positions);
  const session = keepSession(store, async (refreshToken) => {
    const call = { method: 'POST', path: '/auth/refresh', body: { refreshToken } } as const;
    return (await sendOnce(once(call), undefined)) as Session; // the answer to a refresh
  });

  const authorized = authorizedSender(sendOnce, session, token);
  const send = async (attempt: Attempt): Promise<unknown> => {
    const { call, key, repeated } = attempt;
    try {
      return await authorized(attempt);
    } catch (error) {
      const failure = error as Failure; // always a Failure
      if (key !== null && call.key === undefined && repeated === 0 && isWithoutKeys(failure)) {
        if (failure.details['code'] === 'NO_TRANSACTIONS') keys = false;
        return send(once(call));
      }
      const wait = (key !== null || isRepeatable(call)) && repeated < retries ? waitAfter(failure, repeated) : null;
      if (wait === null) throw error;
      if (!(await pause(wait, call.signal))) throw silence('aborted', call.path);
      return send({ call, key, repeated: repeated + 1 });
    }
  };
  const first = (call: Call): Attempt => (keys && takesKey(call) ? { ...once(call), key: call.key ?? newKey() } : once(call));
  return { session, send: (call) => send(first(call)), positionOf: (answer) => positions.get(answer) ?? null };
}

/** Returns a function that sends a request with the session, which it renews if it is refused, or else with an API token. */
function authorizedSender(sendOnce: ReturnType<typeof sender>, session: SessionKeeper, token: string | undefined) {
  return async (attempt: Attempt): Promise<unknown> => {
    if (attempt.call.isOpen === true) return sendOnce(attempt, undefined);
    const jwt = (await session.current())?.jwt;
    try {
      return await sendOnce(admitted(attempt, jwt), jwt ?? token);
    } catch (error) {
      const isRefused = jwt !== undefined && (error as Failure).kind === 'unauthorized'; // requests throw only failures
      if (!isRefused || !(await session.renew(jwt))) throw error;
      const renewed = (await session.current())?.jwt;
      return sendOnce(admitted(attempt, renewed), renewed);
    }
  };
}

/** Returns an attempt that may be sent with the token of a session. Throws a Failure if it may not. */
function admitted(attempt: Attempt, jwt: string | undefined): Attempt {
  if (attempt.call.admits?.(jwt) === false) throw silence('aborted', attempt.call.path);
  return attempt;
}

const once = (call: Call): Attempt => ({ call, key: null, repeated: 0 });

/** Returns whether a request is a push, each of whose writes has a key of its own. */
const isPush = ({ path }: Call): boolean => path === '/sync/push';

/** Returns whether a request without a key can be sent several times. */
const isRepeatable = (call: Call): boolean => call.method === 'GET' || isPush(call);

/** Returns whether a request is a write whose route accepts keys; those of log-ins do not. */
const takesKey = (call: Call): boolean =>
  call.method !== 'GET' && call.isOpen !== true && !isPush(call) && !call.path.startsWith('/auth/');

/** Returns a key that no other client chooses. Pages without TLS have no `randomUUID`. */
export const newKey = (): string =>
  (globalThis as { readonly crypto?: { randomUUID?(): string } }).crypto?.randomUUID?.() ??
  [Math.random(), Math.random()].join('-');

/** Returns whether the service or the route has refused a key, so that nothing was written. */
const isWithoutKeys = (failure: Failure): failure is Failure & { readonly kind: 'invalid' } =>
  failure.kind === 'invalid' && failure.name === 'IdempotencyError';

/** Number of answers that are kept. */
const maxAnswers = 100;

interface CachedAnswer {
  readonly tag: string;
  readonly text: string;
}

function keep(kept: Map<string, CachedAnswer>, place: string, answer: CachedAnswer): void {
  kept.delete(place); // the oldest comes first
  kept.set(place, answer);
  if (kept.size > maxAnswers) kept.delete([...kept.keys()][0] ?? '');
}

/** Returns a function that sends a request once, with the given credentials. */
function sender(
  { url, prefix = '/api', headers, timeout = 30_000, cache, fetch }: ClientOptions,
  positions: WeakMap<object, string>,
) {
  const root = url.replace(/\/+$/, '') + prefix;
  const tags = new WeakMap<object, string>();
  const kept = new Map<string, CachedAnswer>();
  return async ({ call, key, repeated }: Attempt, bearer: string | undefined): Promise<unknown> => {
    const { path, query = {}, body, method, ifMatch } = call;
    const isJson = body !== undefined && !(body instanceof FormData);
    const address = root + path + writeQuery(query);
    const place = `${bearer ?? ''} ${address}`;
    const cached = method === 'GET' ? kept.get(place) : undefined;
    const sent = {
      ...call,
      timeout: call.timeout ?? timeout,
      url: address,
      headers: {
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...headers,
        ...(key !== null && { 'Idempotency-Key': key }),
        // routes that ignore the key refuse the repetition then
        ...(repeated > 0 && key !== null && { 'Idempotency-Repeat': 'true' }),
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
        ...(cached && { 'If-None-Match': cached.tag }),
        ...(ifMatch !== undefined && { 'If-Match': typeof ifMatch === 'string' ? ifMatch : (tags.get(ifMatch) ?? '""') }),
      },
      body: isJson ? JSON.stringify(body) : body,
    };
    const received = await transmit(sent, fetch ?? globalThis.fetch);
    const isKnown = cached !== undefined && received.status === 304;
    const answer = bodyOf(isKnown ? { ...received, ...cached, status: 200 } : received);
    const position = received.header('sync-position');
    if (position !== null && typeof answer === 'object' && answer !== null) positions.set(answer, position);
    const tag = received.header('etag');
    if (tag !== null && typeof answer === 'object' && answer !== null) tags.set(answer, tag);
    if (cache === true && tag !== null && method === 'GET') keep(kept, place, isKnown ? cached : { tag, text: received.text });
    return answer;
  };
}

function bodyOf(received: ReceivedAnswer): unknown {
  const { status, text } = received;
  if (status < 200 || status >= 300) throw refusal(received);
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw refusal(received); // not JSON: the page of a proxy, such as a hotel login
  }
}
