import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type Failure } from '../../../src/client/create-client.js';
import { memoryStore, withSync } from '../../../src/client/sync.js';
import { Copy } from '../../../test/api/sync/copy.js';
import { type Access, again, fetchFor, type Following, headersOf, type Held, seqOf } from './access.js';
import { ElectricCopy } from './electric-copy.js';
import { EventCopy } from './event-copy.js';

/** Seconds that a request waits. It is short, because clients stop at the end of a seed. */
const wait = 5;

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
