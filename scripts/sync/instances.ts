import { serveSync, type ServingSync } from '../../test/sync/serve-sync.js';
import { freshDatabase, type FreshDatabase } from '../../test/support/mongo.js';

/** Two instances of a service over one database, which may be restarted. */
export class Instances {
  readonly database: FreshDatabase;
  readonly #running: ServingSync[] = [];
  #ann = '';

  private constructor(database: FreshDatabase) {
    this.database = database;
  }

  static async start(uri: string): Promise<Instances> {
    const instances = new Instances(await freshDatabase(uri));
    const first = await instances.#serve();
    await first.admin('PUT', '/roles/1', { actions: [...allActions] });
    await first.admin('POST', '/locales', { code: 'fr', name: 'French' });
    instances.#ann = (await first.addUser('ann')).jwt;
    await instances.#serve();
    return instances;
  }

  /** A token of a user with a role that has rules. */
  get ann(): string {
    return this.#ann;
  }

  /** Gives the user another token. The former one is refused. */
  async renewToken(): Promise<void> {
    const { db } = this.database;
    await db.collection('up_users').updateOne({ username: 'ann' }, { $inc: { _tokenVersion: 1 } });
    this.#ann = '';
    while (this.#ann === '') {
      const { body } = await this.at(0).as(null, 'POST', '/api/auth/local', { identifier: 'ann', password: 'Passw0rd!' });
      const jwt = body.jwt as string; // by the API
      const answers = await Promise.all(this.#running.map(({ as }) => as(jwt, 'GET', '/api/tags')));
      if (answers.every(({ status }) => status !== 401)) this.#ann = jwt;
    }
  }

  at(index: number): ServingSync {
    const instance = this.#running[index % this.#running.length];
    if (instance === undefined) throw new Error('there is an instance');
    return instance;
  }

  /** Stops an instance, and starts another one in its place. */
  async restart(index: number): Promise<void> {
    await this.at(index).stop();
    this.#running.splice(index % this.#running.length, 1);
    await this.#serve();
  }

  async stop(): Promise<void> {
    for (const { stop } of this.#running) await stop();
    await this.database.drop();
  }

  async #serve(): Promise<ServingSync> {
    const config = { api: { sync: { pageSize: 5, connectionsPerCaller: 1_000 } } as object };
    const instance = await serveSync({ database: this.database, config });
    this.#running.push(instance);
    return instance;
  }
}

/** What the user may read. */
export const allActions = ['post', 'author', 'tag', 'note'].map((name) => `api::${name}.${name}.find`);
