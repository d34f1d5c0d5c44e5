import type { RequestListener } from 'node:http';
import type { Config } from '#settings/config.js';
import { loadSecrets } from '#settings/load-secrets.js';
import { Connecting, warnOfAccounts } from './connect.js';
import { createGraphql, type GraphqlEndpoint } from '#api/graphql/endpoint/create-graphql.js';
import { createExtension, type GraphqlExtension } from '#api/graphql/extension/create-extension.js';
import { contentOfCode } from '#api/code/content-of-code.js';
import { createApp } from '#http/create-app.js';
import { enabledFeatures, publicRoutesOf, routesOf, type Feature, upgradePaths } from '#http/feature.js';
import { Listener } from '#http/listener.js';
import type { RouteMatch } from '#http/project-code.js';
import type { Media } from '#media/media.js';
import type { Backend } from '#store/models/open-backend.js';
import type { Work } from '#base/observe/observation.js';
import type { Observer } from '#base/observe/observer.js';
import type { Registry } from '#model/schema/content-type.js';
import type { ModelDocument } from '#model/schema/model.js';
import type { ServerInput, ServerParts, Service } from './service.js';
import { codeAttempts } from '#strapi/project/bootstrap-waits.js';
import type { HookName } from '#strapi/project/project-hooks.js';
import { passedByGraphql } from '#strapi/routes/guarded-actions.js';
import { withCustomFields } from '#strapi/runtime/custom-fields.js';

/** The whole service, which opens nothing before `start`. */
export class Server implements Service {
  config: Config;
  readonly observer: Observer;
  readonly #parts: ServerParts;
  readonly #extension: GraphqlExtension;
  readonly #graphql: GraphqlEndpoint | null;
  readonly #input: ServerInput;
  /** The hooks that may still be called. */
  readonly #uncalled = new Set<HookName>(['register', 'bootstrap', 'destroy']);
  readonly #listener: Listener;
  readonly #connecting: Connecting;

  constructor(input: ServerInput, parts: ServerParts) {
    const { config, logger, observer, connection, project } = parts;
    this.config = config;
    this.observer = observer;
    this.#parts = parts;
    this.#connecting = new Connecting(connection);
    this.#listener = new Listener(parts.http, observer);
    this.#input = input;
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
    this.#listener.answer = this.#createAnswer();
    const isEmbedded = this.#input.embeddedDatabase ?? false;
    const parts = { config, features, uri, secrets, observer, address: this.#listener.address, project, isEmbedded };
    await this.#connecting.begin(parts, () => this.#bootstrapLate());
    await this.#bootstrapSoon();
    if (!connection.isStopping) await this.#listener.open(config);
  }

  async stop(): Promise<void> {
    this.#parts.connection.announceStop();
    await this.#listener.close(this.config);
    this.#uncalled.delete('bootstrap'); // which a database that answers late would call
    await this.#call('destroy').catch(this.#report('destroy'));
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
    if ((await waits.isLong(registered)) && !connection.isStopping) {
      connection.awaitsBootstrap = true;
      this.#listener.answer = this.#createAnswer();
      await this.#listener.open(this.config).catch((error: unknown) => {
        connection.announceStop(); // which ends the wait
        throw error;
      });
    }
    await registered;
  }

  /** Returns what answers requests, by the configuration and the code that are known now. */
  #createAnswer(): RequestListener {
    const { observer, connection, project } = this.#parts;
    const graphql: Feature = { name: 'graphql', routes: () => this.#graphql?.routes ?? [] };
    const features = [graphql, ...enabledFeatures(this.#parts.features, this.config)];
    const parts = { config: this.config, projectCode: project?.code ?? null };
    const tables = { routes: routesOf(features, parts), publicRoutes: publicRoutesOf(features, parts) };
    this.#parts.http.upgrades = upgradePaths(tables.routes);
    return createApp({ observer, connection, ...parts, ...tables }).callback();
  }

  /** Bootstraps. If that waits long, resolves before, so that the service listens meanwhile. */
  async #bootstrapSoon(): Promise<void> {
    const bootstrap = this.#bootstrap();
    if (await this.#parts.waits.isLong(bootstrap)) void this.#bootstrapLate(bootstrap);
  }

  async #bootstrapLate(bootstrap = this.#bootstrap()): Promise<void> {
    await bootstrap.catch((err: unknown) => {
      if (this.#parts.connection.isStopping) return;
      this.#report('bootstrap')(err);
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
    const { registry } = running.backend.models.snapshot;
    for (const text of [...this.#unguarded(registry), ...this.#takenByCode(registry)])
      this.observer.observe({ kind: 'warned', topic: 'access', text });
    await warnOfAccounts(running, this.observer);
  }

  /** Returns a warning of the content types that GraphQL answers without code of the project; none if there are no such types. */
  #unguarded(registry: Registry): readonly string[] {
    const { enabled, config } = this.config.plugins.graphql;
    const { project } = this.#parts;
    if (project === null || !enabled || !config.shadowCRUD) return [];
    const warning = passedByGraphql(project.guardedActions(), this.#extension.shadow, registry);
    return warning === null ? [] : [warning];
  }

  /** Returns what code of the project takes from the features. */
  #takenByCode(registry: Registry): readonly string[] {
    const { project, features } = this.#parts;
    const { config } = this;
    if (project === null) return [];
    return enabledFeatures(features, config).flatMap(
      ({ codeWarnings }) => codeWarnings?.(project.code, { config, registry }) ?? [],
    );
  }

  /**
   * Calls a hook of the input, and then that of the project, unless they were called before. `bootstrap` of the input is called again if
   * the database did not answer.
   */
  async #call(name: HookName): Promise<void> {
    if (!this.#uncalled.delete(name)) return;
    const call = () => this.#input[name]?.(this.#extension.input);
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
      if (!this.#parts.connection.isStopping) this.#report('schema state')(err);
    });
  }

  readonly #report = (work: Work) => (err: unknown) => {
    this.observer.observe({ kind: 'failed', work, err });
  };
}
