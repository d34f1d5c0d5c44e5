import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { Context, Next } from 'koa';
import type { Config } from '#settings/config.js';
import type { ContentContext } from '#content/content-context.js';
import { contentOfCode } from '#api/code/content-of-code.js';
import { entryType } from '#api/code/entity-service.js';
import type { ProjectCode, ProjectRoute } from '#http/project-code.js';
import type { Route } from '#http/route.js';
import { type AdminCondition, type AgentTool, type Connection, notRunning } from '#http/running.js';
import { createNotices } from '#base/notices.js';
import type { Observer } from '#base/observe/observer.js';
import { RegisteredActions } from '../admin/registered-actions.js';
import { builtinControllers } from '../routes/builtin-controllers.js';
import { CodeRegistry } from '../routes/code-registry.js';
import { CodeTransactions } from '../content/code-transactions.js';
import type { CookieSessions } from '../routes/cookie-session.js';
import { CodeRequests } from '../routes/code-requests.js';
import { createCoreCode, type CoreCode } from '../routes/factories.js';
import { CodeModels } from '../content/code-models.js';
import { CodeMiddlewares } from './code-middlewares.js';
import { CustomFields } from './custom-fields.js';
import { extendContext } from '../routes/koa-context.js';
import { announceDeletesTo, announceTo, EventHub, hubSubscribers } from '../content/event-hub.js';
import { Lifecycles } from '../content/lifecycles.js';
import type { Subscriber } from '#store/changes/entry-events.js';
import { tellOwnEvent } from '#api/webhooks/own-events.js';
import { firstEvents } from '../services/webhook-store.js';
import { noteMatch, patternOf, routeOf, routerOf } from '../routes/matched-route.js';
import { ProjectCron } from './project-cron.js';
import type { RegisteredRouter } from '../routes/project-routes.js';
import type { ModelOption } from '#model/schema/model-option.js';
import { createAttachFiles } from '../services/upload-service.js';
import { createStrapiServer, type StrapiServer } from '../routes/strapi-server.js';

/** What the code of a project works with. */
export interface CodeInput {
  readonly config: Config;
  readonly observer: Observer;
  readonly connection: Connection;
  /** The built-in routes of plugins. */
  readonly builtin: readonly Route[];
  readonly httpServer: Server;
  /** The options of models that features add; none by default. */
  readonly modelOptions?: readonly ModelOption[] | undefined;
}

/** The registers of a project's code, and its context. Created before the first file is loaded. */
export class ProjectRegisters {
  readonly connection: Connection;
  readonly transactions = new CodeTransactions();
  /** Events emitted by code are told to webhooks too. */
  readonly events = new EventHub((name, payload) =>
    this.connection.running === null ? Promise.resolve() : tellOwnEvent(name, payload, this.content().store),
  );
  readonly webhookEvents = firstEvents();
  readonly lifecycles: Lifecycles;
  readonly models: CodeModels;
  readonly subscribers: readonly Subscriber[];
  readonly announceDeletes: ReturnType<typeof announceDeletesTo>;
  readonly requests: CodeRequests;
  readonly registry: CodeRegistry;
  readonly core: CoreCode;
  readonly server: StrapiServer;
  readonly customFields = new CustomFields();
  readonly adminActions = new RegisteredActions();
  readonly adminConditions: AdminCondition[] = [];
  readonly agentTools = new Map<string, AgentTool>();
  readonly cron: ProjectCron;
  readonly middlewares: CodeMiddlewares;
  readonly #routers: RegisteredRouter[] = [];
  readonly #config: Config;
  readonly #contexts = new AsyncLocalStorage<Context>();
  #strapi: unknown = null;
  #keys: unknown = null;
  #sessions: CookieSessions | null = null;
  #routes: () => readonly ProjectRoute[] = () => [];

  constructor({ connection, config, builtin: routes, httpServer, observer, modelOptions: options }: CodeInput) {
    this.connection = connection;
    this.#config = config;
    const { content, transactions } = this;
    const notices = createNotices(observer);
    const own = announceTo(this.events, { content, observer });
    this.lifecycles = new Lifecycles({ content, transactions, notices, own });
    const { customFields } = this;
    this.models = new CodeModels({ listeners: this.lifecycles.ofModels, config, options, customFields, log: notices.logOnce });
    this.subscribers = hubSubscribers(this.events, { content, observer });
    this.announceDeletes = announceDeletesTo(this.events, { content, observer });
    this.requests = new CodeRequests(content, transactions);
    this.core = createCoreCode({
      requests: this.requests,
      attachFiles: this.attachFiles,
      service: (uid) => this.registry.get('service', uid) ?? {},
      typeOf: (uid) => entryType(uid, content().bind.registry),
    });
    const { createService, createController } = this.core;
    const builtin = builtinControllers(routes, this.requests);
    this.registry = new CodeRegistry({
      strapi: () => this.#strapi,
      generate: {
        service: (uid) => (this.#isApiType(uid) ? createService(uid) : null),
        controller: (uid) => builtin.get(uid) ?? (this.#isApiType(uid) ? createController(uid) : null),
      },
    });
    this.cron = new ProjectCron({ observer, strapi: () => this.#strapi, jobs: () => this.running().backend.jobs });
    this.middlewares = new CodeMiddlewares({ config, observer });
    const { use } = this.middlewares;
    this.server = createStrapiServer({ addRouter: this.addRouter, use, httpServer, environment: config.environment });
  }

  /** Returns the current context of code, in its transaction. Throws a 503 until the database has answered. */
  readonly content = (): ContentContext => this.transactions.contextOf(contentOfCode(this.connection)());

  readonly running = () => this.connection.running ?? notRunning();

  readonly attachFiles = createAttachFiles({ running: () => this.running(), content: () => this.content() });

  readonly requestContext = { get: (): Context | undefined => this.#contexts.getStore() };

  readonly addRouter = (router: RegisteredRouter): void => void this.#routers.push(router);

  get routers(): readonly RegisteredRouter[] {
    return this.#routers;
  }

  /** The router of a request, `ctx.router`, as far as code of Strapi v4 reads it. */
  readonly router = routerOf(this);

  /** Sets `strapi`, which registered functions are called with. Called before the files are loaded. */
  begin(strapi: unknown): void {
    this.#strapi = strapi;
    Object.assign(globalThis, { strapi }); // packages of the project read it too
  }

  /** Sets the keys that sign cookies, and the sessions; null if the project has none. */
  beginCookies(keys: unknown, sessions: CookieSessions | null): void {
    this.#keys = keys;
    this.#sessions = sessions;
  }

  get prefix(): string {
    return this.#config.api.rest.prefix;
  }

  /** The routes of the project that requests can reach. */
  get routes(): readonly ProjectRoute[] {
    return this.#routes();
  }

  /** Returns the part of the project that handles requests. `routes` are its routes, known by then. */
  projectCode(routes: Pick<ProjectCode, 'find' | 'routes'>): ProjectCode {
    this.#routes = routes.routes;
    return {
      ...routes,
      noteCaller: (ctx, action, caller, params) => {
        const path = patternOf(ctx.path, params);
        const route = routeOf(action, ctx.method, path.replace(this.prefix, ''));
        const { registry } = this.running().backend.models.snapshot;
        noteMatch(ctx, { path, params, route, caller }, { router: this.router, registry });
      },
      middlewares: () => this.middlewares.names,
      middleware: (ctx, next) => this.#contexts.run(ctx, () => this.#runInSession(ctx, next)),
      extend: (app) => {
        extendContext(app, this.#config.api.limits, this.#keys);
        this.#sessions?.extend(app);
      },
    };
  }

  /** Runs the middlewares, and then sets the cookie of a session that code has changed. */
  #runInSession(ctx: Context, next: Next): Promise<unknown> {
    const sessions = this.#sessions;
    const done = this.middlewares.run(ctx, next);
    return sessions === null ? done : done.finally(() => void sessions.commit(ctx));
  }

  /** Returns whether a uid is a content type of an API. Before the service is connected, all API uids are. */
  #isApiType(uid: string): boolean {
    const types = this.connection.running?.backend.models.snapshot.registry.types;
    return uid.startsWith('api::') && types?.has(uid) !== false;
  }
}
