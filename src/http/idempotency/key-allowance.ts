import { BoundedCache } from '#base/caches.js';
import type { Config } from '#settings/config.js';
import type { Database } from '#store/send/database.js';
import { countKeys } from '#store/stores/key-store.js';

/** What a client has stored: as it was counted last, and what this instance has added since. */
interface Used {
  counted: { readonly keys: number; readonly bytes: number };
  keys: number;
  bytes: number;
  readonly countedAt: number;
}

/** A client is counted after it has added this part of its allowance. */
const tolerance = 0.01;

/** Milliseconds until a client that has used up its allowance is counted again. */
const pause = 10_000;

/** Bounds of the clients that are remembered. A forgotten one begins with an allowance of its own until it is counted. */
const bounds = { bytes: 5_000_000 };
const usedBytes = 100;

/**
 * Bounds what each user, token and address stores. Counts rarely, so that a write sends no command for it, and a client may exceed its
 * allowance by the tolerance on each instance.
 */
export class KeyAllowance {
  readonly #limits: Config['api']['idempotency'];
  readonly #used = new BoundedCache<Used>(bounds);

  constructor({ api }: Config) {
    this.#limits = api.idempotency;
  }

  /** Counts a new key. Returns the setting that the client has used up; null if it may store the key. */
  async take(client: string, database: Database): Promise<'keys' | 'bytes' | null> {
    const used = await this.#current(client, database);
    used.keys += 1;
    const { counted, keys, bytes } = used;
    if (counted.keys + keys > this.#limits.keys) return 'keys';
    return counted.bytes + bytes > this.#limits.bytes ? 'bytes' : null;
  }

  /** Counts the bytes of a stored answer. */
  add(client: string, bytes: number): void {
    const used = this.#used.get(client);
    if (used !== undefined) used.bytes += bytes;
  }

  async #current(client: string, database: Database): Promise<Used> {
    const used = this.#used.get(client) ?? { counted: { keys: 0, bytes: 0 }, keys: 0, bytes: 0, countedAt: -pause };
    const isDue =
      used.keys >= Math.max(tolerance * this.#limits.keys, 1) || used.bytes >= Math.max(tolerance * this.#limits.bytes, 1);
    const isFull = used.counted.keys + used.keys >= this.#limits.keys || used.counted.bytes + used.bytes >= this.#limits.bytes;
    if (!isDue || (isFull && performance.now() < used.countedAt + pause)) return this.#keep(client, used);
    return this.#keep(client, { counted: await countKeys(database, client), keys: 0, bytes: 0, countedAt: performance.now() });
  }

  #keep(client: string, used: Used): Used {
    this.#used.set(client, used, usedBytes);
    return used;
  }
}
