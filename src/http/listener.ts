import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '#content/rights/accounts.js';
import type { Config } from '#settings/config.js';
import { createNotices } from '#base/notices.js';
import type { Observer } from '#base/observe/observer.js';
import type { PreparedServer } from './start-http-server.js';
import { type HttpServers, startHttpServers } from './start-http-servers.js';

/** The ports of the service. What answers their requests may be replaced while they are open. */
export class Listener {
  readonly #address = { url: '', adminUrl: '' };
  readonly #prepared: PreparedServer;
  readonly #observer: Observer;
  #servers: HttpServers | null = null;
  #answer: RequestListener | null = null;

  constructor(prepared: PreparedServer, observer: Observer) {
    this.#prepared = prepared;
    this.#observer = observer;
  }

  /** The addresses of the service, without a trailing slash. Empty before it listens. */
  get address(): Address {
    return this.#address;
  }

  /** The addresses on this machine, without a trailing slash. Empty before the service listens. */
  get local(): Address {
    return { url: this.#servers?.localUrl ?? '', adminUrl: this.#servers?.admin.localUrl ?? '' };
  }

  /** Answers requests from now on, and opens the ports unless they are open. */
  async listen(answer: RequestListener, config: Config): Promise<void> {
    this.#answer = answer;
    if (this.#servers !== null) return;
    const current: RequestListener = (request, response) => this.#answer?.(request, response);
    this.#servers = await startHttpServers(current, config, this.#prepared, createNotices(this.#observer));
    Object.assign(this.#address, { url: this.#servers.url, adminUrl: this.#servers.admin.url });
  }

  /** Lets load balancers notice the stop, and requests finish; then closes the ports. */
  async close({ server: { shutdownDelay } }: Config): Promise<void> {
    if (this.#servers === null) return;
    await delay(shutdownDelay);
    await this.#servers.close();
  }
}
