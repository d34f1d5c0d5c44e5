import { join } from 'node:path';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import { refuseOrLog } from '#content/refuse-or-log.js';
import { type EntityService, UnknownTypeError } from '#api/code/entity-service.js';
import type { NamedCode } from '#api/code/named-code.js';
import type { Config } from '#settings/config.js';
import { openCodeStore } from '#store/stores/code-store.js';
import { createNotices } from '#base/notices.js';
import type { Observer } from '#base/observe/observer.js';
import type { Values } from '#base/values.js';
import { codeAuth } from '../routes/code-requests.js';
import { byName } from '../routes/code-registry.js';
import type { Controller } from '../routes/core-controller.js';
import type { Service } from '../services/core-service.js';
import type { ModelMembers } from '../content/model-members.js';
import { membersOf } from './project-models.js';
import { withLevels } from './strapi-log.js';
import { createContainer, type StrapiContainer } from './strapi-container.js';
import { createEntityValidator, type EntityValidator } from '../services/entity-validator.js';
import type { EventHub } from '../content/event-hub.js';
import type { StrapiCron } from './project-cron.js';
import { createProjectEntityService, type ProjectEntityService } from '../services/project-entity-service.js';
import type { PluginServices } from '../services/plugin-services.js';
import type { ProjectRegisters } from './project-registers.js';
import type { QueryEngine } from '../services/query-engine.js';
import { createStrapiConfig, type StrapiConfig } from '../load/strapi-config.js';
import { createStrapiDatabase, type StrapiDatabase } from './strapi-database.js';
import { settingsInStore } from './stored-settings.js';
import { createApis, type StrapiApi } from './strapi-apis.js';
import { createPlugins, type OwnPlugins, type StrapiPlugin, type WithGraphql } from './strapi-plugins.js';
import type { StrapiServer } from '../routes/strapi-server.js';
import { createStrapiStore, type StrapiStore, withSettings } from './strapi-store.js';
import { coreStoreQuery, coreStoreUid } from '../services/core-store-query.js';
import { createAi, type StrapiAi } from '../services/agent-tools.js';
import { createWebhookStore, webhookQuery, type WebhookStore } from '../services/webhook-store.js';
import { missingService, refuseMissing } from '../load/unsupported-code.js';

/** The `strapi` of config/extensions, which that of a project completes. */
export interface GivenStrapi extends WithGraphql, Pick<ProjectStrapi, 'log' | 'policies' | 'middlewares'> {
  readonly config: Config;
  readonly entityService: EntityService;
}

/** The `strapi` of a project's code: that of config/extensions, and further members of Strapi v4. */
export interface ProjectStrapi extends ModelMembers {
  readonly config: StrapiConfig;
  readonly log: Logger;
  /* eslint-disable @typescript-eslint/no-explicit-any -- projects call this code, and routes and fields of GraphQL take different arguments */
  readonly policies: NamedCode<any>;
  readonly middlewares: NamedCode<any>;
  /** Returns a registered policy; undefined for an unknown name. */
  policy(name: string): any;
  /** Returns a registered middleware; undefined for an unknown name. */
  middleware(name: string): any;
  /* eslint-enable @typescript-eslint/no-explicit-any */
  readonly entityService: ProjectEntityService;
  readonly entityValidator: EntityValidator;
  readonly db: StrapiDatabase;
  /** Same as `db.query`. */
  query(uid: string): QueryEngine;
  readonly server: StrapiServer;
  readonly auth: {
    /** Resolves if the caller of `ctx.state.auth` may do the actions of `scope`. Rejects with a ForbiddenError otherwise. */
    verify(auth: unknown, config?: { readonly scope?: string | readonly string[] }): Promise<void>;
  };
  readonly eventHub: EventHub;
  readonly webhookStore: WebhookStore;
  readonly ai: StrapiAi;
  readonly container: StrapiContainer;
  readonly customFields: { register(fields: object | readonly object[]): void };
  readonly store: StrapiStore;
  readonly cron: StrapiCron;
  /** Returns a service of the project or of a plugin, or the generated one of a content type; undefined if there is none. */
  service(uid: string): Service;
  readonly services: Readonly<Record<string, Service>>;
  controller(uid: string): Controller;
  readonly controllers: Readonly<Record<string, Controller>>;
  plugin(name: string): StrapiPlugin;
  readonly plugins: Readonly<Record<string, StrapiPlugin>>;
  /** The APIs of the project, by name. */
  readonly api: Readonly<Record<string, StrapiApi>>;
  /** Whether `bootstrap` has run. */
  readonly isLoaded: boolean;
  readonly fetch: typeof fetch;
  /** Whether the Enterprise Edition of Strapi runs. */
  readonly EE: false;
  readonly requestContext: { get(): Context | undefined };
  readonly dirs: {
    readonly app: Readonly<Record<string, string>>;
    /** Same as `app`, because TypeScript needs no build. */
    readonly dist: Readonly<Record<string, string>>;
    readonly static: { readonly public: string };
  };
}

interface StrapiParts {
  readonly directory: string;
  /** The exports of the files of config/, by name. */
  readonly files: Values;
  readonly code: ProjectRegisters;
  readonly services: PluginServices;
  readonly entityService: EntityService;
  readonly plugins: OwnPlugins;
  readonly observer: Observer;
}

/**
 * Creates `strapi`. Members of Strapi v4 that are not offered throw an UnsupportedCodeError. Other names are undefined, and may
 * be set.
 */
export function createProjectStrapi(strapi: GivenStrapi, parts: StrapiParts): ProjectStrapi {
  const { directory, files, code } = parts;
  const { content, registry, server, cron, requestContext } = code;
  const notices = createNotices(parts.observer);
  const models = membersOf(code, notices.logOnce);
  const values = withSettings(() => openCodeStore(content().store.database), settingsInStore(code));
  const tables = { webhook: webhookQuery(content), [coreStoreUid]: coreStoreQuery(values) };
  const db = createStrapiDatabase({ ...code, tables, models: () => ({ ...models.contentTypes, ...models.components }) });
  const config = createStrapiConfig(strapi.config, files);
  const plugins = createPlugins({ ...parts, strapi, registry, config, models });
  const own = {
    config,
    ...fixedMembers,
    log: withLevels(strapi.log),
    entityService: createProjectEntityService({
      base: parts.entityService,
      query: db.query,
      model: (uid) => models.getModel(uid) ?? refuseType(uid),
      ...{ attachFiles: code.attachFiles, announceDeletes: code.announceDeletes },
      refuseOrLog: (undone) => void refuseOrLog(undone, content()),
      log: notices.logOnce,
    }),
    entityValidator: createEntityValidator(content),
    db,
    query: db.query,
    ...{ server, cron, requestContext, ai: createAi(code.agentTools) },
    eventHub: code.events,
    store: createStrapiStore(values),
    ...plugins,
    service: serviceOf(plugins, parts),
    controller: (uid: string) => registry.get('controller', uid),
    ...namedMembers(strapi),
    customFields: { register: code.customFields.register },
    dirs: dirsOf(directory),
    webhookStore: createWebhookStore(content, code.webhookEvents),
  };
  const target: object = Object.assign(Object.create(strapi) as object, own);
  Object.defineProperties(target, { ...Object.getOwnPropertyDescriptors(models), ...changingMembers(parts, models, config) });
  return refuseMissing(target, 'strapi') as ProjectStrapi; // inherits the rest
}

/** Returns `strapi.service`. */
const serviceOf =
  (plugins: ReturnType<typeof createPlugins>, { code, plugins: own }: StrapiParts) =>
  (uid: string): unknown =>
    plugins.service(uid) ?? code.registry.get('service', uid) ?? own.adminService(uid) ?? missing(missingService(uid));

// `reload` does nothing in Strapi v4 either, unless it watches the files of a project.
function refuseType(uid: string): never {
  throw new UnknownTypeError(`Unknown content type "${uid}"`);
}

/** Returns the members that have the policies and middlewares of the project. */
const namedMembers = ({ policies, middlewares }: GivenStrapi) => ({
  policies: listed(policies),
  middlewares: listed(middlewares),
  policy: lookUp(policies),
  middleware: lookUp(middlewares),
});

/** Returns a function that looks up registered code by its name; undefined for an unknown name, as in Strapi v4. */
const lookUp =
  (named: NamedCode<unknown>) =>
  (name: string): unknown =>
    named.has(name) ? named.get(name) : undefined;

const fixedMembers = { fetch: globalThis.fetch, auth: codeAuth, reload: () => undefined, EE: false } as const;

/** Returns the members that are computed on each access. */
const changingMembers = ({ code, plugins }: StrapiParts, models: ModelMembers, config: StrapiConfig): PropertyDescriptorMap => ({
  services: { get: () => allOf('service', code.registry) },
  controllers: { get: () => allOf('controller', code.registry) },
  admin: { get: () => plugins.admin(config.admin) },
  webhookRunner: { get: () => refuseMissing({ eventHub: code.events }, 'strapi.webhookRunner') },
  container: { value: createContainer({ models, changeable: code.models, others: { config } }) },
  isLoaded: { get: () => code.connection.isPrepared },
  api: { get: () => createApis({ models, registry: code.registry, config }) },
});

/** Returns the services or controllers of the project by uid. Generated ones are returned on access. */
const allOf = (kind: 'service' | 'controller', registry: ProjectRegisters['registry']): object =>
  byName(
    (uid) => registry.get(kind, uid),
    () => registry.uids(kind),
  );

/** Returns registered code that can also be read by its name, and lists its names: `strapi.policies['global::is-owner']`. */
const listed = (named: NamedCode<unknown>): NamedCode<unknown> =>
  byName(
    (name) => (name in named ? Reflect.get(named, name) : named.has(name) ? named.get(name) : undefined) as unknown,
    () => named.names(),
  ) as unknown as NamedCode<unknown>; // has its members

function missing(error: Error | null): undefined {
  if (error !== null) throw error;
  return undefined;
}

function dirsOf(directory: string): ProjectStrapi['dirs'] {
  const folders = ['api', 'components', 'extensions', 'middlewares', 'policies'];
  const below = Object.fromEntries(folders.map((name) => [name, join(directory, 'src', name)]));
  const app = { root: directory, src: join(directory, 'src'), config: join(directory, 'config'), ...below };
  return { app, dist: app, static: { public: join(directory, 'public') } };
}
