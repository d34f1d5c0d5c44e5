import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, isLaterAnswer } from './ask.js';
import type { Item, ItemState, Ledger, Targets } from './ledger.js';

interface Hands {
  readonly ledger: Ledger;
  readonly targets: Targets;
  readonly send: (method: string, path: string, body: object) => Promise<Answer>;
}

/** A write as it is pushed, with its key. */
interface PushWrite {
  readonly key: string;
  readonly op: 'create' | 'update' | 'delete';
  readonly id: string | number;
  readonly [part: string]: unknown;
}

/** What a push answers of a write. */
interface Pushed {
  readonly key: string;
  readonly status: string;
  readonly id: number | string;
}

/** A push whose writes were all applied, and the entry that they have written. */
interface Done {
  readonly writes: readonly PushWrite[];
  readonly id: number;
}

const random = (below: number): number => Math.floor(Math.random() * below);

/**
 * A client that collects writes to an entry, and pushes them until each is applied: changes by value, sums, and names of its own for new
 * entries. None may be lost or applied twice, although answers are lost and processes are killed in the middle of a push. Later it pushes
 * old writes again, which must change nothing and be answered with the same entry.
 */
export class PushingWriter {
  readonly #hands: Hands;
  readonly #done: Done[] = [];
  #item: { readonly item: Item; readonly id: number; readonly state: ItemState } | null = null;

  constructor(hands: Hands) {
    this.#hands = hands;
  }

  /** Pushes some writes, or old ones again. Resolves to whether they were acknowledged. */
  act(): Promise<boolean> {
    const draw = Math.random();
    if (draw < 0.2 && this.#done.length > 0) return this.#repeat();
    return draw < 0.4 || this.#item === null ? this.#create() : this.#change(draw > 0.9);
  }

  /** Creates an entry by a name of its own, and changes it by this name in the same push. */
  async #create(): Promise<boolean> {
    const { ledger, targets } = this.#hands;
    const [value, owner] = [random(1_000_000), targets.owners[random(targets.owners.length)] ?? null];
    const item: Item = { key: randomUUID(), id: null, states: [null, { value, owner }] };
    ledger.items.push(item);
    const name = `$${randomUUID()}`;
    const set = { key: { to: item.key }, value: { to: value }, owner: { to: owner } };
    const { writes, state } = changes(name, { value, owner });
    item.states = [...item.states, ...state.before, state.after];
    const id = await this.#push([write('create', name, { set }), ...writes]);
    if (id === null) return false;
    item.id = id;
    item.states = [state.after];
    ledger.acknowledge(id);
    this.#item = { item, id, state: state.after };
    return true;
  }

  async #change(isLast: boolean): Promise<boolean> {
    const current = this.#item;
    if (current === null) return false;
    const { item, id } = current;
    const { writes, state } = changes(id, current.state);
    item.states = [...item.states, ...state.before, state.after, ...(isLast ? [null] : [])];
    this.#item = null;
    const from = { value: { from: state.after.value } };
    const pushed = await this.#push([...writes, ...(isLast ? [write('delete', id, { set: from })] : [])]);
    if (pushed === null) return false;
    item.states = [isLast ? null : state.after];
    this.#hands.ledger.acknowledge();
    if (!isLast) this.#item = { item, id, state: state.after };
    return true;
  }

  /** Pushes writes until all are applied. Returns the id of their entry; null if one was refused, which is a problem. */
  async #push(writes: readonly PushWrite[]): Promise<number | null> {
    const id = await this.#untilApplied(writes);
    if (id !== null) this.#done.push({ writes, id });
    return id;
  }

  async #repeat(): Promise<boolean> {
    const done = this.#done[random(this.#done.length)];
    if (done === undefined) return false;
    const id = await this.#untilApplied(done.writes);
    if (id === done.id) return true;
    if (id !== null)
      this.#hands.ledger.problems.push(`a repeated push was answered with entry ${String(id)} instead of ${String(done.id)}`);
    return false;
  }

  async #untilApplied(writes: readonly PushWrite[]): Promise<number | null> {
    const { send, ledger } = this.#hands;
    for (;;) {
      const answer = await send('POST', '/api/sync/push', { writes });
      if (isLaterAnswer(answer)) {
        await delay(100);
        continue;
      }
      const { data } = (answer.status === 200 ? JSON.parse(answer.body) : { data: [] }) as { readonly data: readonly Pushed[] };
      if (data.length > 0 && data.every(({ status }) => status === 'applied')) return Number(data[0]?.id);
      if (data.some(({ status }) => status === 'refused' || status === 'conflict') || data.length === 0) {
        ledger.problems.push(`push of ${JSON.stringify(writes)}: ${String(answer.status)} ${answer.body}`);
        return null;
      }
      await delay(50); // some wait
    }
  }
}

const write = (op: PushWrite['op'], id: string | number, parts: object): PushWrite => ({
  key: randomUUID(),
  op,
  type: 'items',
  id,
  ...parts,
});

/** Returns two writes to an entry, one by value and one by a sum, and the states after each. */
function changes(id: string | number, { value, owner }: ItemState) {
  const [set, sum] = [random(1_000_000), 1 + random(100)];
  return {
    writes: [
      write('update', id, { set: { value: { from: value, to: set } } }),
      write('update', id, { increment: { value: sum } }),
    ],
    state: { before: [{ value: set, owner }], after: { value: set + sum, owner } },
  };
}
