import { setTimeout as delay } from 'node:timers/promises';
import { type Access, again, type Following, type Held, headersOf, seqOf } from './access.js';

/** A copy from a stream of events, which goes on after its last event whenever the connection ends. */
export class EventCopy implements Following {
  readonly #access: Access;
  readonly #entries = new Map<number, unknown>();
  readonly #leaving = new AbortController();
  readonly #ended: Promise<void>;
  #last: string | null = null;
  #isCurrent = false;

  constructor(access: Access) {
    this.#access = access;
    this.#ended = this.#follow();
  }

  readonly held = (): Held => ({ entries: this.#entries, seq: seqOf(this.#last), isCurrent: this.#isCurrent });

  readonly stop = (): Promise<void> => {
    this.#leaving.abort();
    return this.#ended;
  };

  async #follow(): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      await this.#read().catch(() => undefined); // the connection is lost
      if (!this.#leaving.signal.aborted) await delay(again);
    }
  }

  async #read(): Promise<void> {
    const { origin, shape, caller } = this.#access;
    const headers = {
      accept: 'text/event-stream',
      ...headersOf(this.#access),
      ...(this.#last !== null && { 'last-event-id': this.#last }),
    };
    const { status, body } = await fetch(`${origin()}/api/sync/${shape}`, { headers, signal: this.#leaving.signal });
    if (status === 401) caller.refused();
    if ([400, 403, 404, 410].includes(status)) this.#clear();
    if (status !== 200) return void (await body?.cancel());
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of body ?? []) {
      const blocks = (text + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const { event, id, data } = fieldsOf(block);
    if (event === undefined) return;
    if (event === 'reset') return this.#clear();
    const entry = JSON.parse(data ?? '{}') as { readonly id: number; readonly attributes: object };
    if (event === 'upsert') this.#entries.set(entry.id, entry.attributes);
    if (event === 'delete') this.#entries.delete(entry.id);
    this.#isCurrent = event === 'uptodate';
    this.#last = id ?? this.#last;
  }

  #clear(): void {
    this.#entries.clear();
    this.#last = null;
  }
}

const fieldsOf = (block: string): { readonly event?: string; readonly id?: string; readonly data?: string } =>
  Object.fromEntries([...block.matchAll(/^(event|id|data): ?(.*)$/gm)].map(([, name = '', value]) => [name, value]));
