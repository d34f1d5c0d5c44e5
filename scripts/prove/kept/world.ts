import { adminToken, sendAs } from '../../../test/content/rights/serve-accounts.js';
import { freshDatabase, type FreshDatabase } from '../../../test/support/mongo.js';
import type { Answer } from '../../../test/support/serve.js';
import { Instance } from '../sync/process.js';
import { type Callers, createCallers } from './callers.js';

/** Bytes of answers that an instance keeps: few, so that old ones are dropped all the time. */
const bytes = 4_000_000;

const keeping = { rest: { keepAnswers: { bytes, across: true }, cacheTags: true } };
const plain = { rest: { keepAnswers: { bytes: 0 } } };

/** Processes of a service that keep answers, one that keeps none, and their callers, over one database. */
export class World {
  readonly database: FreshDatabase;
  readonly instances: readonly Instance[];
  /** Keeps nothing. */
  readonly reference: Instance;
  readonly callers: Callers;

  private constructor(database: FreshDatabase, instances: readonly Instance[], reference: Instance, callers: Callers) {
    this.database = database;
    this.instances = instances;
    this.reference = reference;
    this.callers = callers;
  }

  static async start(uri: string, count: number): Promise<World> {
    const database = await freshDatabase(uri);
    const reference = await Instance.start(database.uri, true, { api: plain });
    const instances = await Promise.all(
      Array.from({ length: count }, () => Instance.start(database.uri, false, { api: keeping })),
    );
    const admin = (method: string, path: string, body: object): Promise<Answer> =>
      sendAs(adminToken, method, `${reference.url}/admin/api${path}`, body);
    await admin('POST', '/locales', { code: 'fr', name: 'French' });
    const logIn = async (identifier: string): Promise<string> =>
      String((await sendAs(null, 'POST', `${reference.url}/api/auth/local`, { identifier, password: 'Passw0rd!' })).body.jwt);
    const world = new World(database, instances, reference, await createCallers(admin, logIn));
    for (const name of ['red', 'blue', 'green']) await world.write(0, 'POST', '/api/tags', { data: { name } });
    for (const name of ['Ann', 'Bob', 'Cid']) await world.write(0, 'POST', '/api/authors', { data: { name, active: true } });
    for (let id = 1; id <= 16; id++)
      await world.write(0, 'POST', '/api/posts', { data: { title: `t${String(id)}`, rating: id % 6, author: 1 + (id % 3) } });
    for (const post of [1, 2, 3]) await world.write(0, 'POST', '/api/notes', { data: { text: 'n', approved: true, post } });
    await world.settled();
    return world;
  }

  urlOf(index: number): string {
    return (this.instances[index] ?? this.reference).url;
  }

  /** Sends a write to an instance. Throws if it fails by a fault of the service. */
  async write(index: number, method: string, path: string, body?: object): Promise<void> {
    judge(await sendAs(this.callers.writer, method, `${this.urlOf(index)}${path}`, body), `${method} ${path}`);
  }

  async admin(index: number, method: string, path: string, body: object): Promise<void> {
    judge(await sendAs(adminToken, method, `${this.urlOf(index)}/admin/api${path}`, body), `${method} ${path}`);
  }

  /** Resolves when all instances have noticed every write so far. */
  async settled(): Promise<void> {
    await Promise.all([...this.instances, this.reference].map((instance) => instance.settled()));
  }

  /** Returns the bytes of memory that each instance uses after a collection of garbage. */
  async memory(): Promise<readonly number[]> {
    const used = await Promise.all(this.instances.map((instance) => instance.memory()));
    return used.map(({ heapUsed, external }) => heapUsed + external);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.instances, this.reference].map((instance) => instance.kill()));
    await this.database.drop();
  }
}

/** Throws for a 5xx. An entry that another write has just deleted is a 404, and a localization that there is already a 400. */
function judge({ status, body }: Answer, what: string): void {
  if (status >= 500 || status === 401 || status === 403) throw new Error(`${what}: ${String(status)} ${JSON.stringify(body)}`);
}
