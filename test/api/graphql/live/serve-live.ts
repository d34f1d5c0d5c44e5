import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { ServingInput } from '../../../support/serve.js';
import { serveSync, type ServingSync } from '../../sync/serve-sync.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
export type Result = any;

/** The results of an operation, in order. */
export interface Received {
  /** The status of the answer; 101 of a WebSocket. */
  readonly status: number;
  /** The type of the answer. */
  readonly type: string;
  /** The text of an answer that has no results. */
  readonly text: string;
  readonly results: readonly Result[];
  /** Resolves with the results that follow, until one that meets the condition. Rejects if there is none. */
  readonly until: (isLast: (result: Result) => boolean) => Promise<readonly Result[]>;
  /** Resolves when no more follow: whether they were complete. */
  readonly ended: Promise<boolean>;
  readonly close: () => void;
}

export interface Sent {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Sends an operation as a caller; null: without credentials. */
export type Send = (operation: Sent, token?: string | null) => Promise<Received>;

export interface ServingLive extends ServingSync {
  /** Sends an operation by each transport. */
  readonly over: Readonly<Record<'events' | 'parts' | 'socket', Send>>;
}

export const liveConfig = { plugins: { graphql: { config: { subscriptions: true } } } };

/** Starts a service with synced types and subscriptions. */
export async function serveLive(input: Partial<ServingInput> = {}): Promise<ServingLive> {
  const { config = {} } = input;
  const serving = await serveSync({ ...input, config: { ...config, plugins: { ...liveConfig.plugins, ...config.plugins } } });
  return { ...serving, over: transportsOf(() => serving.server.url, serving.editor) };
}

export const transportsOf = (url: () => string, usual: string): ServingLive['over'] => ({
  events: overHttp(url, usual, 'text/event-stream', eventsIn),
  parts: overHttp(url, usual, 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json', partsIn),
  socket: overSocket(url, usual),
});

/** The results of a text, the rest of it, and whether it says that they are complete. */
interface Parsed {
  readonly results: readonly Result[];
  readonly rest: string;
  readonly isComplete: boolean;
}

function eventsIn(text: string): Parsed {
  const blocks = text.split('\n\n');
  const rest = blocks.pop() ?? '';
  const results = blocks.flatMap((block) => {
    const data = /^event: next\ndata: (.*)$/s.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as Result];
  });
  return { results, rest, isComplete: blocks.some((block) => block.startsWith('event: complete')) };
}

function partsIn(text: string): Parsed {
  const isComplete = text.endsWith('\r\n--graphql--\r\n') && !text.includes('{"payload":null,');
  const blocks = text.split('\r\n--graphql');
  const rest = blocks.pop() ?? '';
  const bodies = blocks.flatMap((block) => /^\r\ncontent-type: application\/json\r\n\r\n(.*)$/s.exec(block)?.[1] ?? []);
  const results = bodies
    .map((body) => JSON.parse(body) as Result)
    .flatMap(({ payload, errors }) => payload ?? (errors ? { errors } : []));
  return { results, rest: blocks.length === 0 ? rest : `\r\n--graphql${rest}`.slice('\r\n--graphql'.length), isComplete };
}

/** Gathers results, and wakes those who wait for them. */
class Gathered {
  readonly results: Result[] = [];
  readonly ended: Promise<boolean>;
  #end: (isComplete: boolean) => void = () => undefined;
  #told = (): void => undefined;
  #isOver = false;
  #taken = 0;

  constructor() {
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  add(...results: readonly Result[]): void {
    this.results.push(...results);
    this.#told();
  }

  end(isComplete: boolean): void {
    this.#isOver = true;
    this.#end(isComplete);
    this.#told();
  }

  readonly until: Received['until'] = async (isLast) => {
    for (;;) {
      const end = this.results.findIndex((result, index) => index >= this.#taken && isLast(result));
      if (end >= 0) return this.results.slice(this.#taken, (this.#taken = end + 1));
      if (this.#isOver) throw new Error(`no such result: ${JSON.stringify(this.results.slice(this.#taken))}`);
      await new Promise<void>((resolve) => (this.#told = resolve));
    }
  };
}

const bearer = (token: string | null): Record<string, string> => (token === null ? {} : { authorization: `Bearer ${token}` });

const overHttp =
  (url: () => string, usual: string, accept: string, parse: (text: string) => Parsed): Send =>
  async (operation, token = usual) => {
    const controller = new AbortController();
    const response = await fetch(`${url()}/graphql`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', ...bearer(token) },
      body: JSON.stringify(operation),
      signal: controller.signal,
    });
    const { status, headers } = response;
    const type = headers.get('content-type') ?? '';
    const gathered = new Gathered();
    const { results, until, ended } = gathered;
    const answer = { status, type, results, until, ended, close: () => controller.abort() };
    if (!/^(text\/event-stream|multipart\/mixed)/.test(type)) {
      gathered.end(false);
      return { ...answer, text: await response.text() };
    }
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder();
      let [text, isComplete] = ['', false];
      for await (const bytes of response.body ?? []) {
        const parsed = parse(text + decoder.decode(bytes as Uint8Array, { stream: true }));
        text = parsed.rest;
        isComplete ||= parsed.isComplete;
        gathered.add(...parsed.results);
      }
      gathered.end(isComplete);
    };
    read().catch(() => {
      gathered.end(false);
    });
    return { ...answer, text: '' };
  };

const overSocket =
  (url: () => string, usual: string): Send =>
  (operation, token = usual) => {
    const gathered = new Gathered();
    const client = createClient({
      url: `${url().replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: token === null ? {} : { Authorization: `Bearer ${token}` },
    });
    const { results, until, ended } = gathered;
    client.subscribe(operation, {
      next: (result) => {
        gathered.add(result);
      },
      error: (error) => {
        if (Array.isArray(error)) gathered.add({ errors: error });
        else gathered.add({ closed: (error as { code?: number }).code, reason: error });
        gathered.end(false);
      },
      complete: () => {
        gathered.end(true);
      },
    });
    return Promise.resolve({
      status: 101,
      type: 'websocket',
      text: '',
      results,
      until,
      ended,
      close: () => void client.dispose(),
    });
  };
