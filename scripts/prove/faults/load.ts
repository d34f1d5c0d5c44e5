import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, ask } from './ask.js';
import { KeyedWriter } from './keyed-writes.js';
import { PushingWriter } from './pushed-writes.js';
import { digestOf, type Item, type ItemState, type Ledger, type Targets } from './ledger.js';

/** The results of the requests in a period of time. */
export interface LoadFigures {
  readonly acknowledged: number;
  /** Requests that failed, by status; 0: without an answer. */
  readonly failed: ReadonlyMap<number, number>;
  /** Longest time between two acknowledged writes, in milliseconds. */
  readonly pause: number;
  readonly longest: TimedRequest;
}

/** A request, its status, and the milliseconds until its answer. */
export interface TimedRequest {
  readonly name: string;
  readonly status: number;
  readonly time: number;
}

export interface Load {
  /** Starts counting anew, and returns the results so far. */
  readonly take: () => LoadFigures;
  /** Waits for requests under way, and sends no more until it is resumed. */
  readonly hold: () => Promise<void>;
  readonly resume: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * Returns whether a client was told that its request was wrong. None is, except for a code that another item has. A write that was
 * stored although its answer was lost, and then is repeated, may find no entry or its own values.
 */
const isWrong = ({ status, body, isLater }: Answer): boolean =>
  status >= 400 && status < 500 && !(status === 409 && isLater) && !body.includes('"path":["code"]');

/** Every fourth worker repeats its writes by keys, and every eighth pushes them. */
const isKeyed = (worker: number): boolean => worker % 4 === 3;
const isPushing = (worker: number): boolean => worker % 8 === 2;

interface LoadInput {
  readonly url: string;
  readonly ledger: Ledger;
  readonly targets: Targets;
}

/** Writes continuously with a number of workers, each one request at a time, and keeps the ledger. */
export function startLoad({ url, ledger, targets }: LoadInput, workers: number): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: workers + 4 });
  const meter = new Meter();
  const state = { isStopped: false, isHeld: false, busy: 0 };
  const send: Hands['send'] = async (method, path, body, options = {}) => {
    const sent = Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {});
    const question = { agent, url: `${url}${path}`, method, ...options, body: sent };
    const answer = await meter.time(`${method} ${path}`, () => ask(question));
    if (answer.status === 503 && !answer.isLater) ledger.problems.push(`${method} ${path}: 503 without Retry-After`);
    if (isWrong(answer)) ledger.problems.push(`${method} ${path}: ${String(answer.status)} ${answer.body}`);
    return answer;
  };
  const work = async (worker: number): Promise<void> => {
    const own: Item[] = [];
    const keyed = new KeyedWriter({ ledger, targets, send: (method, path, body, key) => send(method, path, body, { key }) });
    const pushing = new PushingWriter({ ledger, targets, send });
    const next = (): Promise<boolean> => {
      if (isKeyed(worker)) return keyed.act();
      return isPushing(worker) ? pushing.act() : act(own, { ledger, targets, send });
    };
    while (!state.isStopped) {
      if (state.isHeld) {
        await delay(20);
        continue;
      }
      state.busy += 1;
      const isAcknowledged = await next();
      state.busy -= 1;
      if (isAcknowledged) meter.acknowledge();
      // A client that was refused waits before it asks again.
      else await delay(50);
    }
  };
  const running = Array.from({ length: workers }, (_, worker) => work(worker));
  return {
    take: () => meter.take(),
    hold: async () => {
      state.isHeld = true;
      while (state.busy > 0) await delay(20);
    },
    resume: () => {
      state.isHeld = false;
      meter.take();
    },
    stop: async () => {
      state.isStopped = true;
      await Promise.all(running);
      agent.destroy();
    },
  };
}

const none: TimedRequest = { name: 'none', status: 0, time: 0 };

class Meter {
  #acknowledged = 0;
  #failed = new Map<number, number>();
  #last = performance.now();
  #pause = 0;
  #longest = none;

  acknowledge(): void {
    const now = performance.now();
    this.#pause = Math.max(this.#pause, now - this.#last);
    this.#last = now;
    this.#acknowledged += 1;
  }

  async time(name: string, work: () => Promise<Answer>): Promise<Answer> {
    const begun = performance.now();
    const answer = await work();
    const time = performance.now() - begun;
    if (time > this.#longest.time) this.#longest = { name, status: answer.status, time };
    if (answer.status === 0 || answer.status >= 500) this.#failed.set(answer.status, (this.#failed.get(answer.status) ?? 0) + 1);
    return answer;
  }

  take(): LoadFigures {
    const figures = {
      acknowledged: this.#acknowledged,
      failed: this.#failed,
      pause: Math.max(this.#pause, performance.now() - this.#last),
      longest: this.#longest,
    };
    [this.#acknowledged, this.#failed, this.#pause, this.#longest, this.#last] = [0, new Map(), 0, none, performance.now()];
    return figures;
  }
}

interface Hands {
  readonly ledger: Ledger;
  readonly targets: Targets;
  readonly send: (method: string, path: string, body?: object | Buffer, options?: SendOptions) => Promise<Answer>;
}

interface SendOptions {
  readonly type?: string;
  /** The Idempotency-Key. */
  readonly key?: string;
}

const random = (below: number): number => Math.floor(Math.random() * below);

const oneOf = (ids: readonly number[]): number => ids[random(ids.length)] ?? 0;

/** One write of a worker. Resolves to whether it was acknowledged. */
async function act(own: Item[], hands: Hands): Promise<boolean> {
  const draw = Math.random();
  const item = own.length === 0 ? undefined : own[random(own.length)];
  if (draw < 0.03) return upload(hands);
  if (item === undefined || draw < 0.5) return create(own, hands);
  if (draw < 0.75) return update(item, own, hands);
  if (draw < 0.85) return takeBadge(item, own, hands);
  return own.length > 5 ? remove(item, own, hands) : update(item, own, hands);
}

async function create(own: Item[], { ledger, targets, send }: Hands): Promise<boolean> {
  const item: Item = { key: randomUUID(), id: null, states: [null] };
  const state: ItemState = { value: random(1_000_000), owner: oneOf(targets.owners) };
  item.states = [null, state];
  ledger.items.push(item);
  // Several workers want the same few codes.
  const code = Math.random() < 0.2 ? `c${String(random(20_000))}` : null;
  const { status, body } = await send('POST', '/api/items', { data: { key: item.key, code, ...state } });
  if (status === 400) item.states = [null];
  if (status !== 200) return false;
  item.id = (JSON.parse(body) as { readonly data: { readonly id: number } }).data.id;
  item.states = [state];
  ledger.acknowledge(item.id);
  own.push(item);
  return true;
}

const pathOf = ({ id }: Item): string => `/api/items/${String(id)}`;

async function update(item: Item, own: Item[], { ledger, targets, send }: Hands): Promise<boolean> {
  const state: ItemState = { value: random(1_000_000), owner: oneOf(targets.owners) };
  item.states = [...item.states, state];
  const { status } = await send('PUT', pathOf(item), { data: state });
  return judge(item, own, status, { ledger, state });
}

async function takeBadge(item: Item, own: Item[], { ledger, targets, send }: Hands): Promise<boolean> {
  const { status } = await send('PUT', pathOf(item), { data: { badge: oneOf(targets.badges) } });
  if (status === 200) ledger.acknowledge();
  else leave(item, own);
  return status === 200;
}

async function remove(item: Item, own: Item[], { ledger, send }: Hands): Promise<boolean> {
  item.states = [...item.states, null];
  const { status } = await send('DELETE', pathOf(item));
  leave(item, own);
  return judge(item, own, status, { ledger, state: null });
}

interface Outcome {
  readonly ledger: Ledger;
  readonly state: ItemState | null;
}

function judge(item: Item, own: Item[], status: number, { ledger, state }: Outcome): boolean {
  if (status === 200) {
    item.states = [state];
    ledger.acknowledge();
    return true;
  }
  leave(item, own);
  return false;
}

/** Items whose state is not known are left alone. */
function leave(item: Item, own: Item[]): void {
  const index = own.indexOf(item);
  if (index !== -1) own.splice(index, 1);
}

async function upload({ ledger, send }: Hands): Promise<boolean> {
  const name = `${randomUUID()}.txt`;
  const text = `${name}\n`.repeat(20);
  const boundary = 'part-of-an-upload';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n`;
  const body = Buffer.from(`${head}${text}\r\n--${boundary}--\r\n`);
  const answer = await send('POST', '/api/upload', body, { type: `multipart/form-data; boundary=${boundary}` });
  if (answer.status !== 200) return false;
  const [file] = JSON.parse(answer.body) as readonly { readonly id: number; readonly url: string }[];
  if (file === undefined) return false;
  ledger.files.push({ ...file, name, digest: digestOf(text) });
  ledger.acknowledge();
  return true;
}

/** The types that the load writes to, and the entries that it links to. */
export const models = [
  {
    uid: 'api::item.item',
    kind: 'collectionType',
    collectionName: 'items',
    info: { singularName: 'item', pluralName: 'items', displayName: 'Item' },
    pluginOptions: { sync: { enabled: true } },
    attributes: {
      key: { type: 'string' },
      value: { type: 'integer' },
      code: { type: 'string', unique: true },
      owner: { type: 'relation', relation: 'manyToOne', target: 'api::owner.owner', inversedBy: 'items' },
      badge: { type: 'relation', relation: 'oneToOne', target: 'api::badge.badge', inversedBy: 'item' },
    },
  },
  {
    uid: 'api::owner.owner',
    kind: 'collectionType',
    collectionName: 'owners',
    info: { singularName: 'owner', pluralName: 'owners', displayName: 'Owner' },
    attributes: {
      name: { type: 'string' },
      items: { type: 'relation', relation: 'oneToMany', target: 'api::item.item', mappedBy: 'owner' },
    },
  },
  {
    uid: 'api::badge.badge',
    kind: 'collectionType',
    collectionName: 'badges',
    info: { singularName: 'badge', pluralName: 'badges', displayName: 'Badge' },
    attributes: {
      name: { type: 'string' },
      item: { type: 'relation', relation: 'oneToOne', target: 'api::item.item', mappedBy: 'badge' },
    },
  },
] as const;

/** Creates the entries that items are linked to. */
export async function createTargets(url: string): Promise<Targets> {
  return { owners: await createMany(`${url}/api/owners`, 20), badges: await createMany(`${url}/api/badges`, 100) };
}

async function createMany(url: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 1; index <= count; index += 1) {
    const body = JSON.stringify({ data: { name: String(index) } });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    if (answer.status !== 200) throw new Error(`${url}: ${await answer.text()}`);
    ids.push(((await answer.json()) as { readonly data: { readonly id: number } }).data.id);
  }
  return ids;
}
