import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Caller } from '#content/rights/caller.js';
import { ownSeal } from '#content/cursor-seal.js';
import type { ContentContext } from '#content/content-context.js';
import type { Config } from '#settings/config.js';
import { createConfig } from '#settings/create-config.js';
import { loadConfig } from '#settings/load-config.js';
import { CurrentSchema } from '#api/graphql/endpoint/current-schema.js';
import { graphqlRoutes, type GraphqlParts } from '#api/graphql/endpoint/graphql-routes.js';
import { graphqlSettings } from '#api/graphql/endpoint/graphql-settings.js';
import { buildSchema, type SchemaOptions } from '#api/graphql/endpoint/build-schema.js';
import { createApp } from '#http/create-app.js';
import { Connection, type RunningService } from '#http/running.js';
import { createStore } from '#store/store.js';
import { noNotices } from '#base/notices.js';
import { fullAccess, type Access } from '#model/query/access.js';
import { noObserver, Observer } from '#base/observe/observer.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { bindContext } from '../../support/things.js';
import type { Registry } from '#model/schema/content-type.js';

export interface ServeInput {
  readonly models: readonly { readonly uid: string }[];
  /** By collection, as they are stored. */
  readonly documents?: Readonly<Record<string, readonly object[]>>;
  readonly access?: Access;
  readonly caller?: Partial<Caller>;
  /** Parts of `plugins.graphql.config`. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly environment?: string;
  readonly options?: SchemaOptions;
  readonly parts?: Partial<GraphqlParts>;
  /** Makes every read fail with an internal error. */
  readonly breaks?: boolean;
}

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly body: any;
}

export interface ServedGraphql {
  readonly url: string;
  readonly database: FreshDatabase;
  readonly current: CurrentSchema;
  readonly registry: Registry;
  readonly content: ContentContext;
  /** Errors that were hidden from clients. */
  readonly reported: unknown[];
  /** Names of the commands that were sent since the last call. */
  readonly commands: () => string[];
  readonly send: (init: RequestInit, path?: string) => Promise<Answered>;
  readonly query: (query: string, variables?: object, headers?: Readonly<Record<string, string>>) => Promise<Answered>;
  readonly stop: () => Promise<void>;
}

const reads = new Set(['find', 'aggregate', 'count', 'insert', 'update', 'delete', 'findAndModify']);

/** The endpoint on a free port, over a database of its own. */
export async function serveGraphql(input: ServeInput): Promise<ServedGraphql> {
  const database = await freshDatabase();
  for (const [name, documents] of Object.entries(input.documents ?? {}))
    await database.db.collection(name).insertMany(documents.map((document) => ({ ...document })));
  const { registry, problems } = buildRegistry(input.models);
  if (problems.size > 0) throw new Error(JSON.stringify([...problems]));
  const defaults = await loadConfig({ directory: '/nonexistent', variables: {} });
  const config = { ...defaults.plugins.graphql.config, ...input.config } as typeof defaults.plugins.graphql.config;
  const reported: unknown[] = [];
  const report = (error: unknown) => reported.push(error);
  const current = new CurrentSchema((snapshot, previous) => buildSchema(snapshot, { ...input.options, previous }), report);
  await current.replace(registry);
  const bind = { ...bindContext, registry, access: input.access ?? fullAccess, locales: ['en', 'fr', 'de'] };
  const caller = { kind: 'public', access: bind.access, publicRoleIsEmpty: false, ended: null, ...input.caller } as Caller;
  const working = databaseOf(database);
  const store = createStore(input.breaks === true ? { ...working, db: null as never } : working);
  const content: ContentContext = {
    store,
    bind,
    createsDrafts: false,
    hooks: null,
    notices: noNotices,
    cursors: ownSeal(),
    finder: null,
  };
  const connection = new Connection();
  connection.running = runningOf(caller, content, defaults);
  const routes = graphqlRoutes({
    settings: graphqlSettings(config, createConfig({ environment: input.environment ?? 'test' })),
    pathSettings: {},
    schema: current,
    observer: new Observer({ failed: ({ err }) => void report(err) }),
    ...input.parts,
  });
  const app = createApp({ config: defaults, observer: noObserver, connection, routes });
  const server: Server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const seen: string[] = [];
  database.client.on('commandStarted', ({ commandName }) => {
    if (reads.has(commandName)) seen.push(commandName);
  });
  const send = async (init: RequestInit, path = '/graphql'): Promise<Answered> => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, type, text, body: type.startsWith('application/json') ? JSON.parse(text) : null };
  };
  return {
    url,
    database,
    current,
    registry,
    content,
    reported,
    commands: () => seen.splice(0),
    send,
    query: (query, variables, headers = {}) =>
      send({
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, ...(variables && { variables }) }),
      }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await database.drop();
    },
  };
}

/** The parts of the service that the endpoint uses. */
const runningOf = (caller: Caller, { store, bind }: ContentContext, config: Config): RunningService =>
  ({
    config,
    source: { store, models: { snapshot: { registry: bind.registry, locales: { codes: bind.locales, default: 'en' } } } },
    authenticator: { authenticate: () => Promise.resolve(caller) },
    attempts: null,
    limiter: null,
    answers: { keepsBytes: false },
    accounts: null,
    media: null,
    explainRefusal: () => undefined,
  }) as unknown as RunningService; // the rest is not reached
