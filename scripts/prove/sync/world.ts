import type { ClientSession } from 'mongodb';
import { adminToken, sendAs } from '../../../test/content/rights/serve-accounts.js';
import { freshDatabase, type FreshDatabase } from '../../../test/support/mongo.js';
import type { Answer } from '../../../test/support/serve.js';
import type { Random } from '../../random.js';
import type { ReplicaSet } from '../faults/replica-set.js';
import { type Caller, Holder, User } from './callers.js';
import { Instance } from './process.js';

/** What users may read at first. */
export const allActions = ['post', 'author', 'tag', 'note'].map((name) => `api::${name}.${name}.find`);

/** Roles of users and of the public. */
export const roles = ['1', '2'] as const;

/** Small pages, so that copies have many. */
const settings = { pageSize: 5, connectionsPerCaller: 1_000 };

const postUid = 'api::post.post';

/** Files that entries link. */
const files = [1, 2, 3].map((_id) => ({ _id, name: `f${String(_id)}`, hash: `f${String(_id)}`, ext: '.png', mime: 'image/png' }));

/** Two processes of a service over one database of a replica set, either of which may end at any time, and its callers. */
export class World {
  readonly set: ReplicaSet;
  readonly database: FreshDatabase;
  readonly user: User;
  readonly clerk: Holder;
  readonly callers: readonly [Caller, ...Caller[]];
  readonly #editor: string;
  #running: readonly Instance[];
  #starting: Promise<void> = Promise.resolve();

  private constructor(set: ReplicaSet, database: FreshDatabase, given: Given) {
    this.set = set;
    this.database = database;
    this.#running = given.running;
    this.#editor = given.editor;
    this.user = given.user;
    this.clerk = given.clerk;
    this.callers = [new Holder('editor', given.editor), given.user, given.clerk, new Holder('public', null)];
  }

  static async start(set: ReplicaSet): Promise<World> {
    const { port } = (await set.primary()).link;
    const database = await freshDatabase(`mongodb://127.0.0.1:${String(port)}/?replicaSet=rs0`);
    await database.db.collection<{ _id: number }>('files').insertMany([...files]);
    const first = await Instance.start(database.uri, true, { settings });
    const admin = async (path: string, body: object): Promise<Answer['body']> =>
      (await sendAs(adminToken, 'POST', `${first.url}/admin/api${path}`, body)).body.data;
    const editor = (await admin('/tokens', { name: 'editor', type: 'full-access' })).accessKey as string; // by the admin API
    await admin('/locales', { code: 'fr', name: 'French' });
    const ann = { username: 'ann', email: 'ann@mail.test', password: 'Passw0rd!', role: 1, confirmed: true };
    const user = new User((await admin('/users', ann)).id as number);
    const second = await Instance.start(database.uri, false, { settings });
    const world = new World(set, database, { running: [first, second], editor, user, clerk: new Holder('clerk', null) });
    await world.replaceClerk();
    return world;
  }

  /** Brings back rights, the model and the content that all seeds begin with. */
  async begin(): Promise<void> {
    await this.#starting;
    const { db } = this.database;
    await db.collection<{ _id: string }>('_models').updateOne({ _id: postUid }, { $unset: { 'attributes.extra': 1 } });
    const users = db.collection<{ _id: number }>('up_users');
    await users.updateOne({ _id: this.user.id }, { $set: { blocked: false, role: 1 } });
    await this.admin('PUT', '/locales/en', { isDefault: true });
    for (const role of roles) {
      await this.admin('PUT', `/roles/${role}`, { actions: allActions });
      await this.admin('PUT', `/roles/${role}/rules`, { rows: null, fields: null });
    }
    for (const name of ['posts', 'authors', 'tags', 'notes']) await db.collection(name).deleteMany({});
    for (const file of files) await db.collection<{ _id: number }>('files').replaceOne({ _id: file._id }, file, { upsert: true });
    await this.settled();
  }

  /** Sends a request to one of the instances that run. */
  send(index: number, method: string, path: string, body?: unknown): Promise<Answer> {
    return sendAs(this.#editor, method, `${this.urlOf(index)}${path}`, body);
  }

  admin(method: string, path: string, body: object, index = 0): Promise<Answer> {
    return sendAs(adminToken, method, `${this.urlOf(index)}/admin/api${path}`, body);
  }

  /** Returns the address of one of the instances that run. */
  urlOf(index: number): string {
    return this.#at(index).url;
  }

  /** Resolves when all instances have noticed every write so far. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.map((instance) => instance.settled()));
  }

  /** Resolves when the log contains all changes so far. */
  async logged(): Promise<void> {
    const { db } = this.database;
    const { insertedId } = await db.collection<{ _id: number }>('tags').insertOne({ _id: -Date.now() });
    while ((await db.collection('_changes').findOne({ collection: 'tags', id: insertedId })) === null);
    await db.collection<{ _id: number }>('tags').deleteOne({ _id: insertedId });
  }

  /** Ends an instance. Another one starts in its place, meanwhile the rest serves. */
  async replace(index: number, how: 'kill' | 'stop'): Promise<void> {
    await this.#starting;
    const ended = this.#at(index);
    this.#running = this.#running.filter((instance) => instance !== ended);
    this.#starting = Instance.start(this.database.uri, false, { settings }).then((instance) => {
      this.#running = [...this.#running, instance];
    });
    await ended[how]();
  }

  /** Gives the caller with a token of few rights another token. */
  async replaceClerk(): Promise<void> {
    const given = { name: `clerk ${String(Date.now())}`, type: 'custom', permissions: allActions.slice(0, 1) };
    const { body } = await this.admin('POST', '/tokens', given);
    const { id, accessKey } = body.data as { readonly id: number; readonly accessKey: string }; // by the admin API
    this.clerk.held = accessKey;
    if (this.#clerkId !== null) await this.admin('DELETE', `/tokens/${String(this.#clerkId)}`, {});
    this.#clerkId = id;
  }
  #clerkId: number | null = null;

  async stop(): Promise<void> {
    await this.#starting;
    await Promise.all(this.#running.map((instance) => instance.kill()));
    await this.database.drop();
  }

  #at(index: number): Instance {
    const instance = this.#running[index % this.#running.length];
    if (instance === undefined) throw new Error('no instance runs');
    return instance;
  }
}

interface Given {
  readonly running: readonly Instance[];
  readonly editor: string;
  readonly user: User;
  readonly clerk: Holder;
}

/** What operations work on. */
export interface Scene {
  readonly world: World;
  readonly random: Random;
  /** A transaction that is held open over several operations; null if there is none. */
  open: ClientSession | null;
}
