import { exceeding } from '#base/limits/exceeded.js';
import { rateLimitError, unavailableError } from '#base/errors.js';
import type { Sender } from '#base/limits/queue.js';

/** The settings of waiting requests. */
interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerCaller: number;
}

/** Limits the requests that wait for changes, of each caller and in total. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<string, number>();
  #all = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Counts a connection. Throws if there are too many. */
  enter({ client }: Sender): void {
    const { connections, connectionsPerCaller } = this.#limits;
    const own = this.#connections.get(client) ?? 0;
    if (own >= connectionsPerCaller)
      throw exceeding(
        'api.sync.connectionsPerCaller',
        rateLimitError('Too many requests wait for changes', { 'Retry-After': '5' }),
      );
    if (this.#all >= connections)
      throw exceeding('api.sync.connections', unavailableError('Too many requests wait for changes, please try again later'));
    this.#all += 1;
    this.#connections.set(client, own + 1);
  }

  /** Ends a connection that was counted. */
  leave({ client }: Sender): void {
    this.#all -= 1;
    const left = (this.#connections.get(client) ?? 1) - 1;
    if (left === 0) this.#connections.delete(client);
    else this.#connections.set(client, left);
  }
}
