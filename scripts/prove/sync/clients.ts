import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type Failure } from '../../../src/client/create-client.js';
import { memoryStore, withSync } from '../../../src/client/sync.js';
import { Copy } from '../../../test/api/sync/copy.js';
import type { Caller } from './callers.js';
import { ElectricCopy } from './electric-copy.js';
import { EventCopy } from './event-copy.js';

/** The entries that a client holds, and the number of its token in the log; null without a token. */
export interface Held {
  readonly entries: ReadonlyMap<number, unknown>;
  readonly seq: number | null;
  /** Whether the last answer said that there is no more to read. */
  readonly isCurrent: boolean;
}

/** A client that keeps a copy of what its caller may see. */
export interface Following {
  readonly held: () => Held;
  /** Sends one request; absent if the client acts by itself. Returns whether there is more to read now. */
  readonly step?: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

/** What clients send requests with. */
export interface Access {
  readonly caller: Caller;
  readonly shape: string;
  /** Returns the address of any instance. */
  readonly origin: () => string;
}

/** Milliseconds before a request that has failed is sent again. */
export const again = 50;

/** Seconds that a request waits. It is short, because clients stop at the end of a seed. */
const wait = 5;

export const headersOf = ({ caller }: Pick<Access, 'caller'>): Record<string, string> => {
  const token = caller.token();
  return token === null ? {} : { authorization: `Bearer ${token}` };
};

/** Returns the number of a token in the log. */
export const seqOf = (token: string | null): number | null => (token === null ? null : Number(token.split('.')[0]));

/** The request is sent to a living instance, with the token of the caller. */
export const fetchFor =
  (access: Access) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...headersOf(access) };
    const response = await fetch(`${access.origin()}${pathname}${search}`, { ...init, headers });
    if (response.status === 401) access.caller.refused();
    return response;
  };

function copyOf(access: Access): Copy {
  return new Copy(
    () => `${access.origin()}/api/sync/${access.shape}`,
    () => headersOf(access),
  );
}

/** Sends one request. A service that is not reached, or is busy, is asked again. */
async function stepOf(copy: Copy, { caller }: Access, waits?: number, signal?: AbortSignal): Promise<boolean> {
  const { status, more } = await copy.step(waits, signal).catch(() => ({ status: 503, more: true }));
  if (status === 401) caller.refused();
  if (status >= 500 || status === 429) await delay(again);
  return more || status === 401 || status >= 500;
}

const heldIn = ({ entries, token, isCurrent }: Copy): Held => ({ entries, seq: seqOf(token), isCurrent });

/** Reads pages when it is told to. */
function startPages(access: Access): Following {
  const copy = copyOf(access);
  return {
    held: () => heldIn(copy),
    step: () => stepOf(copy, access),
    stop: () => Promise.resolve(),
  };
}

/** Reads pages, then waits for changes. */
function startPolls(access: Access): Following {
  const copy = copyOf(access);
  const leaving = new AbortController();
  const follow = async (): Promise<void> => {
    let isBehind = true;
    while (!leaving.signal.aborted) {
      isBehind = await stepOf(copy, access, isBehind ? undefined : wait, leaving.signal);
      if (copy.token === null) await delay(again); // refused
    }
  };
  const ended = follow();
  return {
    held: () => heldIn(copy),
    stop: () => (leaving.abort(), ended),
  };
}

/** Copies with the typed client. */
function startTyped(access: Access): Following {
  const [name = '', query = ''] = access.shape.split('?');
  const store = memoryStore();
  const leaving = new AbortController();
  const sendTo = fetchFor(access);
  const client = withSync(
    createClient({
      url: 'http://service',
      retries: 0,
      fetch: (url, init) => sendTo(query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`, init),
    }),
  );
  const follow = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      await client.sync(name, {}, store, { wait, signal: leaving.signal }).catch((failure: unknown) => {
        if (typeof (failure as Failure).kind !== 'string') throw failure;
      });
      await delay(again);
    }
  };
  const ended = follow();
  const entries = () => store.entries() as readonly { readonly id: number; readonly attributes: object }[];
  return {
    held: () => ({
      entries: new Map(entries().map(({ id, attributes }) => [id, attributes])),
      seq: seqOf(store.token() as string | null), // the store is in memory
      isCurrent: false, // a store does not hear of it
    }),
    stop: () => (leaving.abort(), ended),
  };
}

/** The kinds of clients, by name. */
export const faces: Readonly<Record<string, (access: Access) => Following>> = {
  pages: startPages,
  polls: startPolls,
  events: (access) => new EventCopy(access),
  'Electric polls': (access) => new ElectricCopy(access, false),
  'Electric events': (access) => new ElectricCopy(access, true),
  'typed client': startTyped,
};
