import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '#content/rights/accounts.js';
import type { Config } from '#settings/config.js';
import { createNotices } from '#base/notices.js';
import type { Observer } from '#base/observe/observer.js';
import type { PreparedServer } from './start-http-server.js';
import { type HttpServers, startHttpServers } from './start-http-servers.js';

/** The ports of the service. */
export class Listener {
  readonly #address = { url: '', adminUrl: '' };
  readonly #prepared: PreparedServer;
  readonly #observer: Observer;
  #opening: Promise<HttpServers> | null = null;
  #servers: HttpServers | null = null;
  /** Answers requests. May be replaced while the ports are open. */
  answer: RequestListener = () => undefined;

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

  /** Opens the ports, unless they are open. */
  async open(config: Config): Promise<void> {
    const current: RequestListener = (request, response) => this.answer(request, response);
    this.#opening ??= startHttpServers(current, config, this.#prepared, createNotices(this.#observer));
    this.#servers = await this.#opening;
    Object.assign(this.#address, { url: this.#servers.url, adminUrl: this.#servers.admin.url });
  }

  /** Lets load balancers notice the stop, and requests finish; then closes the ports, also those that are being opened. */
  async close({ server: { shutdownDelay } }: Config): Promise<void> {
    const servers = await this.#opening?.catch(() => null);
    if (!servers) return;
    await delay(shutdownDelay);
    await servers.close();
  }
}
