import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document, MongoClient } from 'mongodb';
import type { Backend } from '#store/models/open-backend.js';
import type { Feature } from '#http/feature.js';
import type { Hook, PartialConfig, Register, ServerInput } from '#index.js';
import { jobOf } from '#store/send/database.js';
import { collections } from '#model/schema/collections.js';
import { createService } from '#operate/service/create-server.js';
import type { Service } from '#operate/service/service.js';
import { commandsDuring } from './explain.js';
import { freshDatabase, type FreshDatabase } from './mongo.js';
import { sendRequest } from './send-request.js';

/** A content type or component as a test writes it: schema.json with its uid. */
export type TestModel = { readonly uid: string } & Readonly<Record<string, unknown>>;

export interface ServingInput {
  readonly models: readonly TestModel[];
  /** By collection, as they are stored; there before the server starts. */
  readonly documents?: Readonly<Record<string, readonly object[]>>;
  readonly config?: PartialConfig;
  /** A database that another server of the same test uses; a new one unless given. */
  readonly database?: FreshDatabase;
  /** Code that shapes the GraphQL schema. */
  readonly register?: Register;
  readonly bootstrap?: Hook;
  readonly destroy?: Hook;
  /** The directory of a Strapi project. */
  readonly project?: string;
  /** Silent unless given. */
  readonly logger?: NonNullable<ServerInput['logger']>;
  /** Whether the database counts as the service's own. */
  readonly embeddedDatabase?: boolean;
  /** Those of the service unless given. */
  readonly features?: readonly Feature[];
}

export interface Answer {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly body: any;
}

/** The commands that a piece of work has sent to the database, by name, in order. */
export interface CommandCount<Result> {
  readonly result: Result;
  readonly commands: readonly string[];
}

/** The service on a free port, over a database of its own. */
export interface Serving {
  readonly server: Service;
  readonly database: FreshDatabase;
  /** Sends a request; `path` begins behind the address, `body` goes as JSON. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Runs the work and returns the database commands that it sent; after `settled` and a first request, those of a warm one. */
  readonly countCommands: <Result>(work: () => Promise<Result>) => Promise<CommandCount<Result>>;
  /** Resolves when the service has noticed every write so far, so that none of them drops a cache later. */
  readonly settled: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the service with these models, everything allowed to everybody. */
export async function serveModels({
  models,
  documents = {},
  config = {},
  database: given,
  features,
  ...input
}: ServingInput): Promise<Serving> {
  const database = given ?? (await freshDatabase());
  await storeModels(database, models);
  await storeDocuments(database, documents);
  const server = await createService({ ...input, config: testConfig(database, config) }, features);
  await server.start();
  if (server.backend === null) throw new Error('the test database did not answer');
  const stop = async (): Promise<void> => {
    await server.stop();
    if (given === undefined) await database.drop();
    await rm(ownDirectory(database), { recursive: true, force: true });
  };
  const call: Serving['call'] = (method, path, body) => send(`${server.url}${path}`, method, body);
  const { backend } = server;
  await backend.models.settled();
  const { client } = backend.store.database;
  return {
    server,
    database,
    call,
    countCommands: (work) => countCommands(client, work),
    settled: settler(backend, database),
    stop,
  };
}

/** Stores models as any client may do it. */
export async function storeModels({ db }: FreshDatabase, models: readonly TestModel[]): Promise<void> {
  if (models.length === 0) return;
  await db
    .collection<{ _id: string }>('_models')
    .bulkWrite(models.map(({ uid, ...replacement }) => ({ replaceOne: { filter: { _id: uid }, replacement, upsert: true } })));
}

/** Stores documents as those that the service has written itself. */
async function storeDocuments({ db }: FreshDatabase, documents: NonNullable<ServingInput['documents']>): Promise<void> {
  const names = Object.keys(documents);
  if (names.length === 0) return;
  for (const [name, rows] of Object.entries(documents))
    if (rows.length > 0) await db.collection(name).insertMany(rows.map((row) => ({ ...row })));
  await db
    .collection<{ _id: string }>('_collections')
    .bulkWrite(names.map((_id) => ({ updateOne: { filter: { _id }, update: { $set: { _id } }, upsert: true } })));
}

/** The directory of services over a database: e-mails and secrets are stored there, not in the checkout. */
const ownDirectory = ({ name }: Pick<FreshDatabase, 'name'>): string => join(tmpdir(), `mangrove-${name}`);

/** Longer than any test, so that a busy machine cannot change an answer, and no connection is closed while a request is on its way. */
const patience = {
  server: {
    requestTimeout: 300_000,
    uploadTimeout: 300_000,
    sendTimeout: 300_000,
    headersTimeout: 300_000,
    keepAliveTimeout: 300_000,
    waitTimeout: 120_000,
    shutdownTimeout: 120_000,
  },
  database: {
    maxTimeMS: { read: 120_000, write: 120_000 },
    waitQueueTimeout: 120_000,
    selectionTimeout: 120_000,
    silence: 120_000,
  },
};

/**
 * Settings for a service over a database of a test: a directory of its own, and long time limits. The client of the service reports
 * its commands, because the address says so.
 */
export function testConfig(database: Pick<FreshDatabase, 'uri' | 'name'>, config: PartialConfig = {}): PartialConfig {
  const address = new URL(database.uri);
  address.searchParams.set('monitorCommands', 'true');
  return {
    directory: ownDirectory(database),
    ...config,
    server: { host: '127.0.0.1', port: 0, ...patience.server, ...config.server },
    database: { uri: address.href, ...patience.database, ...config.database },
    // tests see what commands a request needs, unless they are about answers that are kept
    api: { open: true, ...config.api, rest: { keepAnswers: { bytes: 0 }, ...config.api?.rest } },
    middlewares: { logger: { level: 'silent', pretty: false }, ...config.middlewares },
  };
}

async function send(url: string, method: string, body: unknown): Promise<Answer> {
  const { status, headers, text } = await sendRequest({ url, method, body });
  const [type, next] = [headers.get('content-type'), headers.get('location')];
  if (next !== null && status >= 301 && status <= 308) return send(new URL(next, url).href, method, body);
  return { status, body: type?.startsWith('application/json') === true ? JSON.parse(text) : text };
}

/** Changes are reported in order, so that a marker is reported after all earlier writes. Calls must not overlap. */
function settler(backend: Backend, { db }: FreshDatabase): Serving['settled'] {
  let hear = (): void => undefined;
  backend.store.changes.onChange(['_marks'], () => {
    hear();
  });
  const heard = (): Promise<void> =>
    new Promise((resolve) => {
      hear = resolve;
    });
  return async () => {
    if (!backend.store.changes.isListening) await heard();
    const marked = heard();
    await db.collection('_marks').updateOne({}, { $inc: { count: 1 } }, { upsert: true });
    await marked;
    // Reads that the changes have caused are under way; this waits for them.
    await backend.models.load();
    await backend.models.settled();
  };
}

const ofContent = new Set(['find', 'aggregate', 'count', 'distinct', 'insert', 'update', 'delete', 'findAndModify', 'bulkWrite']);

/** What each instance writes about itself, and the ids that it reserves. */
const background: ReadonlySet<string> = new Set([collections.modelStatus, collections.counters]);

/**
 * Change streams and lists of operations name no collection; the use of indexes is read in the background, how often ids are
 * reserved depends on the time between writes, and a job reads the webhooks after each change of one.
 */
const isBackground = (collection: unknown, { pipeline, comment }: Document): boolean =>
  typeof collection !== 'string' ||
  background.has(collection) ||
  (collection === collections.webhooks && jobOf(String(comment)) !== null) ||
  (Array.isArray(pipeline) && '$indexStats' in Object(pipeline[0]));

async function countCommands<Result>(client: MongoClient, work: () => Promise<Result>): Promise<CommandCount<Result>> {
  const { result, commands: sent } = await commandsDuring(client, [...ofContent], work);
  const named = sent.map((command) => [Object.keys(command)[0] ?? '', command] as const);
  return { result, commands: named.flatMap(([name, command]) => (isBackground(command[name], command) ? [] : [name])) };
}
