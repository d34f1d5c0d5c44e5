import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, isLaterAnswer } from './ask.js';
import type { Item, ItemState, Ledger, Targets } from './ledger.js';

/** Sends a request with an Idempotency-Key. */
type SendKeyed = (method: string, path: string, body: object, key: string) => Promise<Answer>;

interface Hands {
  readonly ledger: Ledger;
  readonly targets: Targets;
  readonly send: SendKeyed;
}

/** A write that was acknowledged, with its answer. */
interface Done {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly key: string;
  readonly text: string;
}

/**
 * A client that repeats each write with its key until it is acknowledged: none may be lost or stored twice, although answers are lost
 * and processes are killed. Later it repeats old writes, which must change nothing and be answered as before.
 */
export class KeyedWriter {
  readonly #hands: Hands;
  readonly #done: Done[] = [];
  #item: Item | null = null;

  constructor(hands: Hands) {
    this.#hands = hands;
  }

  /** One write, or the repetition of an old one. Resolves to whether it was acknowledged. */
  act(): Promise<boolean> {
    if (this.#item === null) return this.#create();
    const draw = Math.random();
    if (draw < 0.3) return this.#repeat();
    return draw < 0.8 ? this.#update(this.#item) : this.#remove(this.#item);
  }

  #newState(): ItemState {
    const { owners } = this.#hands.targets;
    return { value: Math.floor(Math.random() * 1_000_000), owner: owners[Math.floor(Math.random() * owners.length)] ?? null };
  }

  async #create(): Promise<boolean> {
    const { ledger } = this.#hands;
    const state = this.#newState();
    const item: Item = { key: randomUUID(), id: null, states: [null, state] };
    ledger.items.push(item);
    const text = await this.#write('POST', '/api/items', { data: { key: item.key, ...state } });
    if (text === null) return false;
    item.id = (JSON.parse(text) as { readonly data: { readonly id: number } }).data.id;
    item.states = [state];
    ledger.acknowledge(item.id);
    this.#item = item;
    return true;
  }

  async #update(item: Item): Promise<boolean> {
    const state = this.#newState();
    item.states = [...item.states, state];
    const text = await this.#write('PUT', `/api/items/${String(item.id)}`, { data: state });
    if (text === null) return false;
    item.states = [state];
    this.#hands.ledger.acknowledge();
    return true;
  }

  async #remove(item: Item): Promise<boolean> {
    item.states = [...item.states, null];
    this.#item = null;
    const text = await this.#write('DELETE', `/api/items/${String(item.id)}`, {});
    if (text === null) return false;
    item.states = [null];
    this.#hands.ledger.acknowledge();
    return true;
  }

  /** Sends a write until it is answered. Returns the answer; null if the write was refused, which is a problem. */
  async #write(method: string, path: string, body: object): Promise<string | null> {
    const key = randomUUID();
    const answer = await this.#untilAnswered({ method, path, body, key });
    if (answer.status !== 200) return null;
    this.#done.push({ method, path, body, key, text: answer.body });
    return answer.body;
  }

  async #repeat(): Promise<boolean> {
    const done = this.#done[Math.floor(Math.random() * this.#done.length)];
    if (done === undefined) return false;
    const { status, body } = await this.#untilAnswered(done);
    if (status === 200 && body === done.text) return true;
    this.#hands.ledger.problems.push(`${done.method} ${done.path} repeated: ${String(status)} ${body} instead of ${done.text}`);
    return false;
  }

  async #untilAnswered({ method, path, body, key }: Omit<Done, 'text'>): Promise<Answer> {
    const { send, ledger } = this.#hands;
    for (;;) {
      const answer = await send(method, path, body, key);
      if (isLaterAnswer(answer)) await delay(100);
      else {
        if (answer.status !== 200) ledger.problems.push(`${method} ${path} with a key: ${String(answer.status)} ${answer.body}`);
        return answer;
      }
    }
  }
}
