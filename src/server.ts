import type { Context } from 'koa';
import type { Logger } from 'pino';
import { createAuthenticator, type Authenticator } from './access/authenticate.js';
import { createDefaultRoles } from './access/create-default-roles.js';
import { userTokens } from './access/user-tokens.js';
import type { Accounts } from './accounts/accounts.js';
import { createAccounts } from './accounts/create-accounts.js';
import { createConfig, type PartialConfig } from './config/create-config.js';
import type { Config } from './config/config.js';
import { loadSecrets, type Secrets } from './config/load-secrets.js';
import { unavailableError } from './errors.js';
import { createApp } from './http/create-app.js';
import { createLogger } from './http/create-logger.js';
import { serveFiles } from './http/serve-files.js';
import { startHttpServer, type HttpServer } from './http/start-http-server.js';
import type { Media } from './media/media.js';
import { openMedia, type OpenMedia } from './media/open-media.js';
import { ping } from './mongo/connect.js';
import { openBackend, type Backend } from './mongo/open-backend.js';
import { createGraphql, type GraphqlEndpoint } from './graphql/create-graphql.js';
import { createGate, type Gate } from './http/create-gate.js';
import { QueryCache } from './rest/query-cache.js';
import type { Registry } from './schema/content-type.js';
import { restMiddleware } from './rest/rest-middleware.js';
import { uploadMiddleware } from './rest/upload-middleware.js';

export interface ServerInput {
  /** Any part of the configuration; defaults fill the rest. `database.uri` must be given. */
  readonly config: PartialConfig;
  /** One like the service's own is made unless given. */
  readonly logger?: Logger;
}

/** The whole service, from the connection to MongoDB to the port it listens on. */
export interface MangroveServer {
  /** Address of the service, without a slash at the end; empty before it listens. */
  readonly url: string;
  readonly config: Config;
  /** Null until the database has answered. */
  readonly backend: Backend | null;
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
export async function createServer({ config: given, logger }: ServerInput): Promise<MangroveServer> {
  const config = createConfig(given);
  const log = logger ?? (await createLogger(config));
  return new Server(config, log);
}

class Server implements MangroveServer {
  readonly config: Config;
  readonly #logger: Logger;
  #http: HttpServer | null = null;
  #backend: Backend | null = null;
  #media: OpenMedia | null = null;
  #authenticator: Authenticator | null = null;
  #accounts: Accounts | null = null;
  readonly #gate: Gate;
  readonly #graphql: GraphqlEndpoint | null;
  #retry: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(config: Config, logger: Logger) {
    this.config = config;
    this.#logger = logger;
    this.#gate = createGate(
      config,
      () => this.#ready(),
      () => this.#identifying(),
    );
    const admit = (ctx: Context) => this.#gate.admit(ctx, 'nothing');
    this.#graphql = config.plugins.graphql.enabled ? createGraphql({ config, logger, admit }) : null;
  }

  get url(): string {
    return this.#http?.url ?? '';
  }

  get backend(): Backend | null {
    return this.#backend;
  }

  async start(): Promise<void> {
    await this.#connect(await loadSecrets(this.config));
    this.#http = await startHttpServer(this.#createApp().callback(), this.config.server);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#http?.close();
    this.#media?.close();
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
    const { enabled, config } = this.config.plugins['users-permissions'];
    if (enabled) await createDefaultRoles(backend.store);
    this.#authenticator = createAuthenticator({
      config: this.config,
      backend,
      tokenSalt: secrets.tokenSalt,
      userTokens: enabled ? userTokens(secrets.jwtSecret, config.jwt.expiresIn) : null,
    });
    if (this.config.plugins.upload.enabled)
      this.#media = await openMedia({ config: this.config, database: backend.store.database, logger: this.#logger });
    this.#backend = backend;
    const rebuild = (registry: Registry): void => void this.#graphql?.replaceRegistry(registry);
    backend.models.onChange(rebuild);
    rebuild(backend.models.current());
  }

  #ready(): Backend {
    if (this.#backend === null) throw unavailableError();
    return this.#backend;
  }

  #identifying(): Authenticator {
    if (this.#authenticator === null) throw unavailableError();
    return this.#authenticator;
  }

  #readyMedia(): Media {
    if (this.#media === null) throw unavailableError();
    return this.#media.media;
  }

  #createApp(): ReturnType<typeof createApp> {
    const checks = { database: async () => this.#backend !== null && ping(this.#backend.store.database) };
    const app = createApp({ config: this.config, logger: this.#logger, checks });
    if (this.#graphql !== null) app.use(this.#graphql.middleware);
    const media = this.config.plugins.upload.enabled ? () => this.#readyMedia() : null;
    if (media !== null) {
      app.use(serveFiles(media));
      app.use(uploadMiddleware({ config: this.config, limits: this.config.api.limits, media, admit: this.#gate.admit }));
    }
    app.use(
      restMiddleware({
        ...(media !== null && { media }),
        config: this.config,
        queries: new QueryCache(this.config.api.limits),
        content: { registry: () => this.#ready().models.current(), authorize: this.#gate.authorize },
      }),
    );
    return app;
  }
}
