import type { RequestListener } from 'node:http';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { createConfig } from '#settings/create-config.js';
import type { Config } from '#settings/config.js';
import { loadSecrets } from '#settings/load-secrets.js';
import { sectionsWith } from '#settings/sections.js';
import { ConfigError } from '#settings/setting.js';
import { Connecting, storedModels, warnOfAccounts } from './connect.js';
import { createGraphql, type GraphqlEndpoint } from '#api/graphql/endpoint/create-graphql.js';
import { createExtension, type GraphqlExtension } from '#api/graphql/extension/create-extension.js';
import { contentOfCode } from '#api/code/content-of-code.js';
import { features as allFeatures } from './features.js';
import { createApp } from '#http/create-app.js';
import { createLogger, createObserver } from '#http/create-logger.js';
import { enabledFeatures, publicRoutesOf, routesOf, type Feature } from '#http/feature.js';
import { Listener } from '#http/listener.js';
import type { RouteMatch } from '#http/route.js';
import { Connection } from '#http/running.js';
import { prepareHttpServer, type PreparedServer } from '#http/start-http-server.js';
import type { Media } from '#media/media.js';
import type { Backend } from '#store/models/open-backend.js';
import type { Work } from '#base/observe/observation.js';
import type { Observer } from '#base/observe/observer.js';
import type { Registry } from '#model/schema/content-type.js';
import type { ModelDocument } from '#model/schema/model.js';
import type { MangroveServer, ServerInput, Service, ServiceInput } from './service.js';
import { builtinRoutes } from '#strapi/routes/builtin-controllers.js';
import { createProject, type Project } from '#strapi/project/create-project.js';
import { BootstrapWaits, codeAttempts } from '#strapi/project/bootstrap-waits.js';
import type { HookName } from '#strapi/project/project-hooks.js';
import { passedByGraphql } from '#strapi/routes/guarded-actions.js';
import { withCustomFields } from '#strapi/runtime/custom-fields.js';

/**
 * Puts a server together; nothing is opened before `start`. Throws a ConfigError with all that is wrong.
 *
 * @example
 * const server = await createServer({ config: { database: { uri: 'mongodb://localhost:27017/content?replicaSet=rs0' } } });
 * await server.start();
 */
export const createServer = (input: ServerInput): Promise<MangroveServer> => createService(input);

/** Creates a server for the commands of Mangrove. */
export async function createService(input: ServiceInput, features: readonly Feature[] = allFeatures): Promise<Service> {
  const config = createConfig(input.config, sectionsWith(features));
  const { uri } = config.database;
  if (uri === null) throw new ConfigError(withoutUri);
  const [logger, connection] = [input.logger ?? (await createLogger(config)), new Connection()];
  const observer = createObserver(config, logger);
  for (const { observes } of enabledFeatures(features, config)) {
    const consumer = await observes?.(config, observer);
    if (consumer) observer.add(consumer);
  }
  const waits = new BootstrapWaits({ connection, observer, patience: config.database.maxTimeMS.write });
  const parts = { config, uri, features, logger, observer, connection, waits, http: prepareHttpServer(config.server) };
  return new Server(input, { ...parts, project: openProject(input, parts) });
}

function openProject({ project, projectModels }: ServiceInput, parts: Omit<ServerParts, 'project'>): Project | null {
  if (project === undefined) return null;
  const { config, features, http, uri, waits } = parts;
  const builtin = builtinRoutes(routesOf(enabledFeatures(features, config), { config, projectCode: null }));
  const models = projectModels ?? (() => waits.untilRead(() => storedModels(uri, config)));
  return createProject({ ...parts, builtin, httpServer: http.server, directory: resolve(project), models });
}

/** The components of a server before it starts. */
interface ServerParts {
  readonly config: Config;
  /** The URI of the database. */
  readonly uri: string;
  readonly features: readonly Feature[];
  readonly logger: Logger;
  readonly observer: Observer;
  readonly connection: Connection;
  readonly waits: BootstrapWaits;
  readonly http: PreparedServer;
  readonly project: Project | null;
}

const withoutUri =
  'database.uri is missing: createServer needs the address of a MongoDB, such as mongodb://localhost:27017/content?replicaSet=rs0. ' +
  'The command `npx mangrove start` starts one of its own.';

class Server implements Service {
  config: Config;
  readonly observer: Observer;
  readonly #parts: ServerParts;
  readonly #extension: GraphqlExtension;
  readonly #graphql: GraphqlEndpoint | null;
  readonly #isEmbedded: boolean;
  readonly #hooks: Pick<ServerInput, HookName>;
  /** The hooks that may still be called. */
  readonly #uncalled = new Set<HookName>(['register', 'bootstrap', 'destroy']);
  readonly #listener: Listener;
  readonly #connecting: Connecting;

  constructor({ embeddedDatabase = false, ...hooks }: ServerInput, parts: ServerParts) {
    const { config, logger, observer, connection, project } = parts;
    this.config = config;
    this.observer = observer;
    this.#parts = parts;
    this.#connecting = new Connecting(connection);
    this.#listener = new Listener(parts.http, observer);
    this.#hooks = hooks;
    this.#isEmbedded = embeddedDatabase;
    this.#extension = createExtension({
      config,
      logger,
      observer,
      content: project?.content ?? contentOfCode(connection),
      ...(project && { projectStrapi: project.strapi }),
    });
    const extension = this.#extension.schemaOptions;
    const onSchema = (problem: string | null): void => this.#reportSchema(problem);
    this.#graphql = config.plugins.graphql.enabled ? createGraphql({ config, observer, extension, onSchema }) : null;
  }

  get url(): string {
    return this.#listener.address.url;
  }

  get localUrl(): string {
    return this.#listener.local.url;
  }

  get adminUrl(): string {
    return this.#listener.local.adminUrl;
  }

  get backend(): Backend | null {
    return this.#parts.connection.running?.backend ?? null;
  }

  get media(): Media | null {
    return this.#parts.connection.running?.media ?? null;
  }

  async start(): Promise<void> {
    const { uri, features, connection, project } = this.#parts;
    await this.#register();
    if (connection.isStopping) return;
    this.config = withCustomFields(this.config, project?.customFields() ?? {});
    const { config, observer } = this;
    connection.awaitsBootstrap = project?.bootstraps() ?? false;
    for (const text of config.warnings) observer.observe({ kind: 'warned', topic: 'configuration', text });
    const secrets = await loadSecrets(config);
    const answer = this.#createAnswer();
    const parts = { config, features, uri, secrets, observer, address: this.#listener.address, project };
    await this.#connecting.begin({ ...parts, isEmbedded: this.#isEmbedded }, () => this.#bootstrapLate());
    await this.#bootstrapSoon();
    if (!connection.isStopping) await this.#listener.listen(answer, config);
  }

  async stop(): Promise<void> {
    this.#parts.connection.announceStop();
    await this.#listener.close(this.config);
    this.#uncalled.delete('bootstrap'); // which a database that answers late would call
    await this.#call('destroy').catch((err: unknown) => {
      this.#report('destroy', err);
    });
    await this.#parts.connection.running?.close();
  }

  findOwnRoute(method: string, path: string): RouteMatch | null {
    return this.#parts.project?.code.find(method, path) ?? null;
  }

  changedModel<Document extends ModelDocument>(document: Document): Document {
    return this.#parts.project?.changedModel(document) ?? document;
  }

  forget(): void {
    this.backend?.forget();
  }

  /** Calls the hooks `register`. If those of a project wait for the database, the service listens meanwhile, and refuses requests. */
  async #register(): Promise<void> {
    const { connection, waits } = this.#parts;
    const registered = this.#call('register');
    const isLate = await Promise.race([registered.then(() => false), waits.long.then(() => true)]);
    if (isLate && !connection.isStopping) {
      connection.awaitsBootstrap = true;
      await this.#listener.listen(this.#createAnswer(), this.config);
    }
    await registered;
  }

  /** Returns what answers requests, by the configuration and the code that are known now. */
  #createAnswer(): RequestListener {
    const { observer, connection } = this.#parts;
    return createApp({ observer, connection, ...this.#routing() }).callback();
  }

  /** Returns the route table of GraphQL and the enabled features, and that of the port of the API if it has fewer. */
  #routing() {
    const graphql: Feature = { name: 'graphql', routes: () => this.#graphql?.routes ?? [] };
    const features = [graphql, ...enabledFeatures(this.#parts.features, this.config)];
    const parts = { config: this.config, projectCode: this.#parts.project?.code ?? null };
    return { ...parts, routes: routesOf(features, parts), publicRoutes: publicRoutesOf(features, parts) };
  }

  /** Bootstraps. If that waits long, resolves before, so that the service listens meanwhile. */
  async #bootstrapSoon(): Promise<void> {
    const bootstrap = this.#bootstrap();
    const isLate = await Promise.race([bootstrap.then(() => false), this.#parts.waits.long.then(() => true)]);
    if (isLate) void this.#bootstrapLate(bootstrap);
  }

  async #bootstrapLate(bootstrap = this.#bootstrap()): Promise<void> {
    await bootstrap.catch((err: unknown) => {
      if (this.#parts.connection.isStopping) return;
      this.#report('bootstrap', err);
      this.#serve();
    });
  }

  /** Calls the hook `bootstrap` once. Does nothing until the database has answered. */
  async #bootstrap(): Promise<void> {
    const { running } = this.#parts.connection;
    if (running === null) return;
    await this.#call('bootstrap');
    if (this.#parts.connection.isStopping) return;
    this.#serve();
    this.#warnOfGraphql(running.backend.models.snapshot.registry);
    await warnOfAccounts(running, this.observer);
  }

  /** Names the content types that GraphQL answers without code of the project. */
  #warnOfGraphql(registry: Registry): void {
    const { enabled, config } = this.config.plugins.graphql;
    const { project } = this.#parts;
    if (project === null || !enabled || !config.shadowCRUD) return;
    const warning = passedByGraphql(project.guardedActions(), this.#extension.shadow, registry);
    if (warning !== null) this.observer.observe({ kind: 'warned', topic: 'access', text: warning });
  }

  /**
   * Calls a hook of the input, and then that of the project, unless they were called before. `bootstrap` of the input is called again if
   * the database did not answer.
   */
  async #call(name: HookName): Promise<void> {
    if (!this.#uncalled.delete(name)) return;
    const call = () => this.#hooks[name]?.(this.#extension.input);
    await (name === 'bootstrap' ? this.#parts.waits.untilAnswered(name, call, codeAttempts) : call());
    await this.#parts.project?.[name](this.#extension.input);
  }

  /** Starts answering requests. The first schema of GraphQL has the extensions and models that `bootstrap` has added. */
  #serve(): void {
    this.#parts.connection.isPrepared = true;
    const models = this.backend?.models;
    const rebuild = (registry: Registry): void => void this.#graphql?.replaceRegistry(registry);
    models?.onChange(rebuild);
    if (models !== undefined) rebuild(models.snapshot.registry);
  }

  #reportSchema(problem: string | null): void {
    this.backend?.models.status.reportSchema(problem).catch((err: unknown) => {
      if (!this.#parts.connection.isStopping) this.#report('schema state', err);
    });
  }

  #report(work: Work, err: unknown): void {
    this.observer.observe({ kind: 'failed', work, err });
  }
}
