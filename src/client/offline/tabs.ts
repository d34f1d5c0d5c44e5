import type { Row } from './store.js';

/** What one tab tells the others: what it has changed for a user. */
export interface TabMessage {
  readonly owner: string;
  readonly rev: number;
  /** Null if all must be read again. */
  readonly rows: readonly Row[] | null;
}

interface Locks {
  request<Value>(name: string, options: object, work: () => Promise<Value>): Promise<Value>;
}

interface Channel {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** What the tabs of an app share on a device. */
export interface Tabs {
  /** Runs work while no other tab runs work under the same name. */
  readonly alone: <Value>(name: string, work: () => Promise<Value>, signal?: object) => Promise<Value>;
  readonly send: (message: TabMessage) => void;
  readonly close: () => void;
}

/** Without a name, one engine alone uses the store. */
export function openTabs(name: string | undefined, hear: (message: TabMessage) => void): Tabs {
  const { navigator, BroadcastChannel } = (name ? globalThis : {}) as {
    readonly navigator?: { readonly locks?: Locks };
    readonly BroadcastChannel?: new (name: string) => Channel;
  };
  const place = `mangrove-offline ${name ?? ''}`;
  const channel = BroadcastChannel && new BroadcastChannel(place);
  if (channel) channel.onmessage = ({ data }) => hear(data as TabMessage);
  const locks = navigator?.locks;
  const last = new Map<string, Promise<unknown>>();
  const inTurn: Tabs['alone'] = (lock, work) => {
    const run = (last.get(lock) ?? Promise.resolve()).then(work);
    last.set(
      lock,
      run.catch(() => undefined),
    );
    return run;
  };
  return {
    alone: (lock, work, signal) =>
      locks ? locks.request(`${place} ${lock}`, signal ? { signal } : {}, work) : inTurn(lock, work),
    send: (message) => channel?.postMessage(message),
    close: () => channel?.close(),
  };
}
