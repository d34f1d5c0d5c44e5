import { refusal, silence, type Failure, type Received } from './failure.js';
import { keepSession, type Session, type SessionKeeper, type SessionStore } from './session.js';
import { transmit, type Fetch, type Progress, type Signal } from './transport.js';
import { writeQuery } from './query.js';

export interface ClientOptions {
  /** The address of the service: `https://cms.example.org`. */
  readonly url: string;
  /** The path before the routes of the API; `/api` unless given. */
  readonly prefix?: string;
  /** An API token, sent as long as no user has logged in. */
  readonly token?: string;
  /** Where the session of the user is stored; in memory unless given. */
  readonly store?: SessionStore;
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until an answer must be there; 30,000 unless given, 0: for ever. */
  readonly timeout?: number;
  /** How often a read is repeated if the service cannot be reached or asks for it; 2 unless given. */
  readonly retries?: number;
  /** Called instead of the global fetch. */
  readonly fetch?: Fetch;
}

export interface CallOptions {
  /** An AbortSignal. */
  readonly signal?: Signal;
  /** Milliseconds; instead of that of the client. */
  readonly timeout?: number;
  /** Further options of fetch, such as `cache`. */
  readonly init?: object;
}

/** A request to the API. */
export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the prefix. */
  readonly path: string;
  readonly query?: object | undefined;
  /** Sent as JSON, unless it is a form. */
  readonly body?: object | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Whether no credentials are sent. */
  readonly isOpen?: boolean;
}

/** Sends requests with the credentials that there are. */
export interface Requester {
  readonly session: SessionKeeper;
  /** Returns the body of the answer; undefined if there is none. Throws a Failure. */
  send(call: Call): Promise<unknown>;
}

/** Waits between repetitions: the first one in milliseconds, each further one is twice as long; and the longest in seconds. */
const firstWait = 300;
const longestWait = 30;

export function createRequester(options: ClientOptions): Requester {
  const { retries = 2, store, token } = options;
  const sendOnce = sender(options);
  const session = keepSession(store, async (refreshToken) => {
    const body = await sendOnce({ method: 'POST', path: '/auth/refresh', body: { refreshToken } }, undefined);
    return body as Session; // of a refresh
  });

  const authorized = async (call: Call): Promise<unknown> => {
    if (call.isOpen === true) return sendOnce(call, undefined);
    const jwt = (await session.current())?.jwt;
    try {
      return await sendOnce(call, jwt ?? token);
    } catch (error) {
      const isRefused = jwt !== undefined && (error as Failure).kind === 'unauthorized'; // requests throw nothing else
      if (!isRefused || !(await session.renew(jwt))) throw error;
      return sendOnce(call, (await session.current())?.jwt);
    }
  };

  const send = async (call: Call, repeated: number): Promise<unknown> => {
    try {
      return await authorized(call);
    } catch (error) {
      const wait = call.method === 'GET' && repeated < retries ? waitAfter(error as Failure, repeated) : null; // the same
      if (wait === null) throw error;
      await pause(wait, call);
      return send(call, repeated + 1);
    }
  };
  return { session, send: (call) => send(call, 0) };
}

/** Sends a request with the given credentials, once. */
function sender({ url, prefix = '/api', headers, timeout = 30_000, fetch }: ClientOptions) {
  const root = url.replace(/\/+$/, '') + prefix;
  return async (call: Call, key: string | undefined): Promise<unknown> => {
    const { path, query = {}, body } = call;
    const isJson = body !== undefined && !(body instanceof FormData);
    const sent = {
      ...call,
      timeout: call.timeout ?? timeout,
      url: root + path + writeQuery(query),
      headers: {
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...headers,
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      },
      body: isJson ? JSON.stringify(body) : body,
    };
    return bodyOf(await transmit(sent, fetch ?? globalThis.fetch));
  };
}

function bodyOf(received: Received): unknown {
  const { status, text } = received;
  if (status < 200 || status >= 300) throw refusal(received);
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw refusal(received); // a page of a proxy, such as the login of a hotel
  }
}

/** Milliseconds until a read is repeated; null: it is not. */
function waitAfter(failure: Failure, repeated: number): number | null {
  const own = firstWait * 2 ** repeated * (0.5 + Math.random());
  switch (failure.kind) {
    case 'unreachable':
    case 'timeout':
      return own;
    case 'limited':
    case 'unavailable':
      if (failure.retryAfter === null) return own;
      return failure.retryAfter > longestWait ? null : Math.max(own, failure.retryAfter * 1000);
    default:
      return null;
  }
}

const pause = (milliseconds: number, { signal, path }: Call): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    const stop = (): void => {
      end();
      reject(silence('aborted', path));
    };
    const timer = setTimeout(() => {
      end();
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop);
  });
