import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { adminMiddleware } from './admin/admin-middleware.js';
import { createAuthenticator, type Authenticator } from './access/authenticate.js';
import { createDefaultRoles } from './access/create-default-roles.js';
import { userTokens } from './access/user-tokens.js';
import type { Accounts } from './accounts/accounts.js';
import { createAccounts } from './accounts/create-accounts.js';
import { createConfig, type PartialConfig } from './config/create-config.js';
import type { Config } from './config/config.js';
import { loadSecrets, type Secrets } from './config/load-secrets.js';
import { unavailableError } from './errors.js';
import { fullAccess } from './query/access.js';
import { createApp } from './http/create-app.js';
import { createLogger } from './http/create-logger.js';
import type { PathTable } from './http/by-path.js';
import { serveFiles } from './http/serve-files.js';
import { requestLimiter, type RequestLimiter } from './http/limit-requests.js';
import { startHttpServer, type HttpServer } from './http/start-http-server.js';
import type { Media } from './media/media.js';
import { openMedia, type OpenMedia } from './media/open-media.js';
import { retireFile } from './media/retire-file.js';
import { ping } from './mongo/connect.js';
import { openBackend, type Backend } from './mongo/open-backend.js';
import { createGraphql, type GraphqlEndpoint } from './graphql/create-graphql.js';
import { graphqlPaths } from './graphql/http/graphql-paths.js';
import { createUploads, type Uploads } from './graphql/plugins/create-uploads.js';
import { createExtension, type GraphqlExtension, type Register } from './graphql/extension/create-extension.js';
import { createAccountsService } from './graphql/plugins/create-accounts-service.js';
import { unknownPath } from './http/unknown-path.js';
import { createContext, createGate, type ContextSource, type Gate } from './http/create-gate.js';
import { createPluginRoutes } from './rest/create-plugin-routes.js';
import { QueryCache } from './rest/query-cache.js';
import type { Registry } from './schema/content-type.js';
import { restMiddleware } from './rest/rest-middleware.js';
import { uploadMiddleware } from './rest/upload-middleware.js';

export interface ServerInput {
  /** Any part of the configuration; defaults fill the rest. `database.uri` must be given. */
  readonly config: PartialConfig;
  /** One like the service's own is made unless given. */
  readonly logger?: Logger;
  /**
   * Shapes the GraphQL schema in code, as config/extensions does for a service that is started from a directory: called once by
   * `start`, which rejects with what it throws.
   */
  readonly register?: Register;
}

/** The whole service, from the connection to MongoDB to the port it listens on. */
export interface MangroveServer {
  /** Address of the service, without a slash at the end; empty before it listens. */
  readonly url: string;
  readonly config: Config;
  /** Null until the database has answered. */
  readonly backend: Backend | null;
  /** Null until the database has answered, and where uploads are switched off. */
  readonly media: Media | null;
  /** Listens, and connects to the database; resolves when the port is open and the database has answered or failed once. */
  start(): Promise<void>;
  /** Lets requests under way finish, then closes everything. */
  stop(): Promise<void>;
  /** Drops caches and reserved ids, after the data were replaced by other means. */
  forget(): void;
}

/** How long to wait between attempts to reach the database, in milliseconds. */
const retryAfter = 2000;

/** Puts a server together; nothing is opened before `start`. Throws a ConfigError with all that is wrong. */
export async function createServer({ config: given, logger, register }: ServerInput): Promise<MangroveServer> {
  const config = createConfig(given);
  const log = logger ?? (await createLogger(config));
  return new Server(config, log, register ?? null);
}

class Server implements MangroveServer {
  readonly config: Config;
  readonly #logger: Logger;
  #http: HttpServer | null = null;
  #backend: Backend | null = null;
  #media: OpenMedia | null = null;
  #authenticator: Authenticator | null = null;
  #accounts: Accounts | null = null;
  #secrets: Secrets | null = null;
  #limiter: RequestLimiter | null = null;
  readonly #gate: Gate;
  readonly #paths: PathTable;
  readonly #graphql: GraphqlEndpoint | null;
  readonly #extension: GraphqlExtension;
  #register: Register | null;
  readonly #uploads: Uploads | null;
  #retry: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(config: Config, logger: Logger, register: Register | null) {
    this.config = config;
    this.#logger = logger;
    this.#register = register;
    this.#paths = graphqlPaths(config);
    this.#gate = createGate(config, {
      source: () => this.#source(),
      authenticator: () => given(this.#authenticator),
      limiter: () => this.#limiter,
    });
    const admit = (ctx: Context) => this.#gate.admit(ctx, 'nothing');
    this.#uploads = config.plugins.upload.enabled ? createUploads(() => given(this.#media).media) : null;
    const schema = {
      ...(config.plugins['users-permissions'].enabled && { accounts: createAccountsService(() => given(this.#accounts)) }),
      ...(this.#uploads !== null && { upload: this.#uploads.service }),
    };
    const files = this.#uploads === null ? {} : { readMultipart: this.#uploads.readMultipart };
    const content = () => createContext(config, this.#source(notYet), fullAccess);
    this.#extension = createExtension({ config, logger, content });
    const extension = {
      extension: this.#extension.schemaOptions,
      onSchema: (problem: string | null) => {
        this.#reportSchema(problem);
      },
    };
    this.#graphql = config.plugins.graphql.enabled
      ? createGraphql({ config, logger, admit, schema, ...extension, ...files })
      : null;
  }

  get url(): string {
    return this.#http?.url ?? '';
  }

  get backend(): Backend | null {
    return this.#backend;
  }

  get media(): Media | null {
    return this.#media?.media ?? null;
  }

  /** What operations on content are put together from. Throws 503 before the database has answered. */
  #source(message?: string): ContextSource {
    const { store, models } = given(this.#backend, message);
    const media = this.media;
    return { store, models, ...(media && { retireFile: (file, database) => retireFile(file, media, database) }) };
  }

  async start(): Promise<void> {
    const register = this.#register;
    this.#register = null;
    await register?.(this.#extension.input);
    this.#secrets = await loadSecrets(this.config);
    await this.#connect(this.#secrets);
    this.#http = await startHttpServer(this.#createApp().callback(), this.config.server);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#http?.close();
    await this.#media?.close();
    await this.#backend?.close();
  }

  forget(): void {
    this.#backend?.forget();
  }

  async #connect(secrets: Secrets): Promise<void> {
    const { database, api } = this.config;
    if (database.uri === null) throw new Error('database.uri is not set');
    try {
      const backend = await openBackend({
        uri: database.uri,
        config: database,
        settings: { privateAttributes: api.responses.privateAttributes, localization: this.config.plugins.i18n.enabled },
        firstLocale: this.config.plugins.i18n.config.defaultLocale,
        logger: this.#logger,
      });
      if (this.#stopped) await backend.close();
      else await this.#serve(backend, secrets);
    } catch (error) {
      this.#logger.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        'MongoDB does not answer, trying again',
      );
      this.#retry = setTimeout(() => void this.#connect(secrets), retryAfter);
    }
  }

  /** Requests are answered from here on. */
  async #serve(backend: Backend, secrets: Secrets): Promise<void> {
    const { config } = this;
    const users = config.plugins['users-permissions'];
    if (users.enabled) await createDefaultRoles(backend.store);
    const tokens = users.enabled ? userTokens(secrets.jwtSecret, users.config.jwt.expiresIn) : null;
    const authenticator = createAuthenticator({ config, backend, tokenSalt: secrets.tokenSalt, userTokens: tokens });
    const common = { config, database: backend.store.database, authenticator, logger: this.#logger, url: () => this.url };
    this.#accounts = tokens === null ? null : createAccounts({ ...common, tokens });
    if (config.plugins.upload.enabled)
      this.#media = await openMedia({ config, database: backend.store.database, logger: this.#logger });
    this.#limiter = requestLimiter(config, backend.store.database);
    this.#authenticator = authenticator;
    this.#backend = backend;
    const rebuild = (registry: Registry): void => void this.#graphql?.replaceRegistry(registry);
    backend.models.onChange(rebuild);
    rebuild(backend.models.current());
  }

  #reportSchema(problem: string | null): void {
    given(this.#backend)
      .models.reportSchema(problem)
      .catch((err: unknown) => {
        if (!this.#stopped) this.#logger.warn({ err }, 'the state of the GraphQL schema could not be stored');
      });
  }

  #adminApi(): Middleware {
    return adminMiddleware({
      adminToken: () => given(this.#secrets).adminToken,
      authenticator: () => given(this.#authenticator),
      services: () => {
        const backend = given(this.#backend);
        const { tokenSalt } = given(this.#secrets);
        return { backend, accounts: this.#accounts, tokenSalt, content: createContext(this.config, this.#source(), fullAccess) };
      },
    });
  }

  #createApp(): ReturnType<typeof createApp> {
    const checks = { database: async () => this.#backend !== null && ping(this.#backend.store.database) };
    const app = createApp({ config: this.config, logger: this.#logger, checks, paths: this.#paths });
    if (this.#uploads !== null) app.use(this.#uploads.discardUnused);
    if (this.#graphql !== null) app.use(this.#graphql.middleware);
    const media = this.config.plugins.upload.enabled ? () => given(this.#media).media : null;
    if (media !== null) {
      app.use(serveFiles(media));
      app.use(uploadMiddleware({ config: this.config, limits: this.config.api.limits, media, admit: this.#gate.admit }));
    }
    const parts = { gate: this.#gate, backend: () => given(this.#backend), accounts: () => given(this.#accounts) };
    app.use(createPluginRoutes(this.config, parts));
    app.use(
      restMiddleware({
        ...(media !== null && { media }),
        config: this.config,
        queries: new QueryCache(this.config.api.limits),
        content: { registry: () => given(this.#backend).models.current(), authorize: this.#gate.authorize },
      }),
    );
    if (this.config.admin.enabled) app.use(this.#adminApi());
    app.use(unknownPath);
    return app;
  }
}

/** What is there once the database has answered. Throws 503 before. */
function given<Part>(part: Part | null, message?: string): Part {
  if (part === null) throw unavailableError(message);
  return part;
}

const notYet =
  'register() runs before there are content types and entries; reach for them in functions given to use(), or in resolvers';
