import type { Client } from '../client.js';
import type { Failure } from '../failure.js';
import { DeviceState } from './device-state.js';
import type { OfflineStore, Row } from './store.js';
import { openTabs, type Tabs, type TabMessage } from './tabs.js';

/** The part of the typed client that the engine uses. */
export type OfflineClient = Pick<Client<object>, 'session' | 'onSession' | 'request' | 'upload' | 'positionOf'>;

/** Where a service or a user stands. */
export interface Standing {
  /** Whether the last request was answered; null before the first one. */
  readonly isOnline: boolean | null;
  /** Why the last request failed; null if it did not. */
  readonly failure: Failure | null;
}

/** Keeps what the device holds for the user who is logged in, in the store and in memory, and tells of its changes. */
export class Keeper {
  readonly client: OfflineClient;
  readonly tabs: Tabs;
  standing: Standing = { isOnline: null, failure: null };
  /** Called after each change; `isWrite`: whether there is something to push. */
  onChange: (isWrite: boolean) => void = () => undefined;
  /** The user whose writes and copy are held; empty before the store was read. */
  owner = '';
  readonly #store: OfflineStore;
  #held = new DeviceState([]);

  constructor(client: OfflineClient, store: OfflineStore) {
    this.client = client;
    this.#store = store;
    this.tabs = openTabs(store.name, (message) => {
      this.#hear(message);
    });
  }

  /** Returns what is held for the user who is logged in now. */
  readonly held = async (): Promise<DeviceState> => {
    for (;;) {
      const owner = await this.#user();
      if (owner === this.owner) return this.#held;
      await this.tabs.alone('rows', () => this.#open(owner));
    }
  };

  /**
   * Stores rows that follow from what is held, all or none. With an owner, as from the engine itself, it does nothing if another user is
   * logged in, and throws an error if another tab keeps the copy of another user.
   */
  async change(work: (state: DeviceState) => readonly Row[], owner = ''): Promise<void> {
    for (;;) {
      await this.held();
      if (owner !== '' && owner !== this.owner) return;
      const isDone = await this.tabs.alone('rows', () => this.#changeNow(work, owner));
      if (isDone) return;
    }
  }

  /** Returns a file that waits. */
  file(name: string): unknown {
    return this.#store.read(keyOf(this.owner, `f/${name}`));
  }

  /** Notes whether the service was reached. */
  stand(failure: Failure | null): void {
    const isOnline = failure === null || 'status' in failure;
    const isNew = isOnline !== this.standing.isOnline || failure?.message !== this.standing.failure?.message;
    this.standing = { isOnline, failure };
    if (isNew) this.onChange(false);
  }

  async close(): Promise<void> {
    this.tabs.close();
    await this.tabs.alone('rows', async () => this.#store.close());
  }

  readonly #user = async (): Promise<string> => ownerOf((await this.client.session())?.jwt);

  async #changeNow(work: (state: DeviceState) => readonly Row[], only: string): Promise<boolean> {
    const { owner } = this;
    if ((await this.#user()) !== owner || (only !== '' && only !== owner)) return false;
    await this.#refresh(owner);
    const kept = (await this.#store.read('owner')) ?? owner; // a browser that clears its storage removes it
    if (only !== '' && kept !== owner) throw new Error('Another tab has another user');
    const rows = work(this.#held);
    if (rows.length === 0) return true;
    const rev = this.#held.rev + 1;
    const all: readonly Row[] = [...rows, ['rev', rev]];
    await this.#store.write([['owner', kept], ...all.map(([key, value]): Row => [keyOf(owner, key), value])]);
    const told = all.filter(([key]) => !key.startsWith('f/'));
    this.#held.take(told);
    this.tabs.send({ owner, rev, rows: told });
    this.onChange(only === '' && rows.some(([key]) => key.startsWith('w/'))); // what the engine itself changes wakes nobody
    return true;
  }

  /** Reads everything again if another tab has changed it, which this one has not heard of. */
  async #refresh(owner: string): Promise<void> {
    if (!this.#store.name || owner !== this.owner) return;
    const rev = (await this.#store.read(`${owner}/rev`)) ?? 0;
    if (rev !== this.#held.rev) this.#held = await this.#read(owner);
  }

  async #read(owner: string): Promise<DeviceState> {
    const rows = await this.#store.rows(`${owner}/`);
    return new DeviceState(rows.map(([key, value]) => [key.slice(owner.length + 1), value]));
  }

  /** Begins to hold what belongs to a user. The copy of another one is removed; the writes stay, until that user logs in again. */
  async #open(owner: string): Promise<void> {
    if (owner === this.owner) return;
    this.owner = '';
    this.#held = new DeviceState([]);
    const former = ((await this.#store.read('owner')) ?? owner) as string;
    const rows: Row[] = [['owner', owner]];
    if (former !== owner) {
      const rev = Math.random();
      for (const [key] of await this.#store.rows(`${former}/`))
        if (!/^[wi]/.test(key.slice(former.length + 1))) rows.push([key, undefined]);
      rows.push([`${former}/rev`, rev]);
      this.tabs.send({ owner: former, rev, rows: null });
    }
    await this.#store.write(rows);
    this.#held = await this.#read(owner);
    this.owner = owner;
    this.onChange(true);
  }

  #hear({ owner, rev, rows }: TabMessage): void {
    if (owner !== this.owner || rev === this.#held.rev) return;
    const told = (): void => this.onChange(true);
    if (rows !== null && rev === this.#held.rev + 1) {
      this.#held.take(rows);
      told();
    } else this.tabs.alone('rows', () => this.#refresh(owner)).then(told, told); // whoever asks next hears of a failure of the store
  }
}

/** Returns the key of a row in the store. Files have keys of another beginning, because they are not read with all else. */
const keyOf = (owner: string, key: string): string => owner + (key.startsWith('f/') ? '.' : '/') + key;

/** Returns what distinguishes the users of a device: the id in a token; `none` without a session. */
export function ownerOf(jwt: string | undefined): string {
  if (!jwt) return 'none';
  try {
    const part = String(jwt.split('.')[1]).replace(/-/g, '+').replace(/_/g, '/');
    const { id = jwt } = JSON.parse(atob(part)) as { readonly id?: unknown };
    return `u${String(id)}`;
  } catch {
    return jwt; // not a token of the service
  }
}
