import { Agent } from 'node:http';
import type { Db } from 'mongodb';
import { ask, isLaterAnswer } from '../faults/ask.js';
import { models } from '../faults/load.js';
import type { Latencies } from './latencies.js';

type Json = Readonly<Record<string, unknown>>;

/** Sends the requests of the work to the service, and takes their times. */
export class Client {
  readonly origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 });
  readonly #db: Db;
  readonly #owners: readonly number[];
  readonly #latencies: Latencies;

  constructor({ origin, db, owners, latencies }: { origin: string; db: Db; owners: readonly number[]; latencies: Latencies }) {
    this.origin = origin;
    this.#db = db;
    this.#owners = owners;
    this.#latencies = latencies;
  }

  /** Returns the id of any owner. */
  owner(): number {
    return this.#owners[Math.floor(Math.random() * this.#owners.length)] ?? 0;
  }

  /** Sends a request. Throws an error for an answer that is not a 200, but for one that says that the client comes too soon. */
  async json(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
    const begun = performance.now();
    const sent = body === undefined ? '' : JSON.stringify(body);
    const answer = await ask({ agent: this.#agent, url: `${this.origin}${path}`, method, body: sent, headers });
    this.#latencies.add(performance.now() - begun);
    if (isLaterAnswer(answer)) throw new Error(`${method} ${path} was put off: ${String(answer.status)}`);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${String(answer.status)} ${answer.body}`);
    return JSON.parse(answer.body.replace(/^event: .*\ndata: /, '')) as Json;
  }

  /** Stores the model of items with further attributes. */
  async changeModel(more: object): Promise<void> {
    const [{ uid, ...model }] = models;
    const changed = { ...model, attributes: { ...model.attributes, ...more } };
    await this.#db.collection<{ _id: string }>('_models').replaceOne({ _id: uid }, changed, { upsert: true });
  }

  close(): void {
    this.#agent.destroy();
  }
}
