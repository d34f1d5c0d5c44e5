import { createClient, type Failure } from '../../../src/client/create-client.js';
import type { AnyTypes } from '../../../src/client/entry.js';
import { createOffline, memoryStore, type Offline, type OfflineStore } from '../../../src/client/offline/offline.js';
import { titles } from './renames.js';

/** Whose device it is, and how it reaches the service. */
interface Owner {
  readonly name: string;
  /** The token of a session, or an API token. */
  readonly jwt?: string;
  readonly token?: string;
  /** Returns the address of any instance. */
  readonly origin: () => string;
}

/** A value that a write replaces by another one. */
export interface Replaced {
  readonly from: unknown;
  readonly to: unknown;
}

interface PushBody {
  readonly writes: readonly { readonly op: string; readonly set?: Readonly<Record<string, Replaced>> }[];
}

/** An app with two tabs over a store that outlives them, and a network that comes and goes. */
export class Device {
  readonly name: string;
  isCut = false;
  /** By the id of a post, as the app has used it: its mark. */
  readonly marks = new Map<string, number>();
  /** The name by which the version of the app calls authors. */
  authors: string;
  /** Where the next push is lost. */
  loses: 'before' | 'after' | null = null;
  /** The titles and names that pushes have replaced, if the service has carried them out. */
  readonly replaced: Replaced[] = [];
  /** The tab that is used. */
  offline: Offline<AnyTypes>;
  #other: Offline<AnyTypes>;
  readonly #owner: Owner;
  readonly #store: OfflineStore;
  /** What the app of the moment may still do. */
  #life = { isOver: false };

  constructor(owner: Owner, authors: string) {
    this.authors = authors;
    this.name = owner.name;
    this.#owner = owner;
    this.#store = { ...memoryStore(), name: `${owner.name} ${String(Math.random())}` };
    this.offline = this.#start();
    this.#other = this.#start();
  }

  get tabs(): readonly Offline<AnyTypes>[] {
    return [this.offline, this.#other];
  }

  /** The user goes on in the other tab. */
  switchTabs(): void {
    [this.offline, this.#other] = [this.#other, this.offline];
  }

  /** Ends the app at any point of its work, and starts it again. */
  kill(): void {
    this.#life.isOver = true;
    for (const tab of this.tabs) tab.close().catch(() => undefined);
    this.#life = { isOver: false };
    this.offline = this.#start();
    this.#other = this.#start();
  }

  /** Returns the failure of a request; null if it was answered. */
  async try(work: Promise<unknown>): Promise<Failure | null> {
    try {
      await work;
      return null;
    } catch (error) {
      if (typeof (error as Failure).kind !== 'string') throw error;
      return error as Failure;
    }
  }

  /** The token with which requests of the user are sent. */
  get credentials(): string {
    return this.#owner.jwt ?? this.#owner.token ?? '';
  }

  #start(): Offline<AnyTypes> {
    const life = this.#life;
    const { jwt, token } = this.#owner;
    const client = createClient({
      url: 'http://service',
      retries: 0,
      store: { read: () => (jwt === undefined ? null : { jwt }), write: () => undefined },
      ...(token !== undefined && { token }),
      fetch: (url, init) => this.#fetch(url, init, life),
    });
    return createOffline({ client, store: this.#storeOf(life), types: ['posts', this.authors], automatic: false });
  }

  /** A killed app writes nothing any more. */
  #storeOf(life: { readonly isOver: boolean }): OfflineStore {
    const write: OfflineStore['write'] = (rows) => {
      if (life.isOver) throw new TypeError('the app was killed');
      return this.#store.write(rows);
    };
    return { ...this.#store, write };
  }

  async #fetch(url: string, init: object, life: { readonly isOver: boolean }): Promise<Response> {
    const { pathname, search } = new URL(url);
    const isPush = pathname.endsWith('/push');
    const lost = isPush ? this.loses : null;
    if (isPush) this.loses = null;
    if (this.isCut || life.isOver || lost === 'before') throw new TypeError('the network is cut');
    if (isPush) this.#note(JSON.parse((init as { readonly body: string }).body) as PushBody);
    const response = await fetch(`${this.#owner.origin()}${pathname}${search}`, init);
    if (lost === null && !life.isOver) return response;
    await response.arrayBuffer();
    throw new TypeError('the answer is lost');
  }

  #note({ writes }: PushBody): void {
    for (const { op, set = {} } of writes)
      for (const name of [...titles, 'name']) if (op === 'update' && set[name] !== undefined) this.replaced.push(set[name]);
  }
}
