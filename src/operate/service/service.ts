import type { Logger } from 'pino';
import type { Feature } from '#http/feature.js';
import type { Connection } from '#http/running.js';
import type { PreparedServer } from '#http/start-http-server.js';
import type { BootstrapWaits } from '#strapi/project/bootstrap-waits.js';
import type { Project } from '#strapi/project/create-project.js';
import type { ProjectModules } from '#strapi/project/project-modules.js';
import type { PartialConfig } from '#settings/create-config.js';
import type { Config } from '#settings/config.js';
import type { Hook, Register } from '#api/graphql/extension/create-extension.js';
import type { RouteMatch } from '#http/project-code.js';
import type { Media } from '#media/media.js';
import type { Backend } from '#store/models/open-backend.js';
import type { ModelDocument } from '#model/schema/model.js';
import type { Observer } from '#base/observe/observer.js';

/** The options of a server. */
export interface ServerInput {
  /** The configuration. Missing settings have their defaults, except `database.uri`, which is required. */
  readonly config: PartialConfig;
  /** The logger; by default one that the configuration determines. */
  readonly logger?: Logger;
  /**
   * Customizes the GraphQL schema, like config/extensions for a service that is started from a directory. Called once by `start`,
   * which rejects with its error.
   */
  readonly register?: Register;
  /**
   * Called after the database has answered, before the port is open, and again if the database does not answer to it. `start` rejects
   * with its error. If the database answers only later, the port is already open and an error is logged.
   */
  readonly bootstrap?: Hook;
  /** Called once by `stop`, after the last request and before the database is closed. An error is logged. */
  readonly destroy?: Hook;
  /**
   * Whether the database was started only for this service. Outside of production the service is then open to programs on this
   * machine until there is a user or a grant, unless `api.open` is set.
   */
  readonly embeddedDatabase?: boolean;
  /** The directory of a Strapi v4 project to run. Its code is loaded by `start`, after `register` is called. */
  readonly project?: string;
}

/** The options of a server that a command of Mangrove starts. */
export interface ServiceInput extends ServerInput {
  /**
   * Returns the models that the project's `register` may change, with their uids, if not the stored ones. They are stored by
   * `bootstrap`, as `changedModel` of the service returns them.
   */
  readonly projectModels?: () => Promise<readonly ModelDocument[]>;
  /** The modules with which the configuration of the project was read. */
  readonly projectModules?: ProjectModules | undefined;
}

/** The whole service, from the connection to MongoDB to the port. */
export interface MangroveServer {
  /** The base URL of the service, without a trailing slash; empty before it listens. */
  readonly url: string;
  readonly config: Config;
  /**
   * Connects to the database, calls `bootstrap`, and listens. Resolves when the port is open. If the database does not answer,
   * the server still listens, answers with 503, and tries to connect again. It also listens while `bootstrap` waits for long, and while
   * `register` of a project waits for stored models; in the latter case it resolves when `register` has run. Does not listen if `stop` is
   * called before. After a rejection, call `stop` to close what was opened.
   */
  start(): Promise<void>;
  /** Lets current requests finish, then closes everything. */
  stop(): Promise<void>;
}

/** A server with the parts that the commands of Mangrove use. */
export interface Service extends MangroveServer {
  /** Takes what the service does and sees. Consumers of commands to the database must be added before `start`. */
  readonly observer: Observer;
  /** The address of the service on this machine, without a trailing slash; empty before it listens. */
  readonly localUrl: string;
  /** The address of the admin API and the panel on this machine, without a trailing slash; empty before it listens. */
  readonly adminUrl: string;
  /** Null until the database has answered. */
  readonly backend: Backend | null;
  /** Null until the database has answered, or if uploads are disabled. */
  readonly media: Media | null;
  /** Returns what code of a project answers at a path; null if it leaves the path to the service. */
  findOwnRoute(method: string, path: string): RouteMatch | null;
  /** Returns the document of a model with what `register` of a project has changed in it. */
  changedModel<Document extends ModelDocument>(document: Document): Document;
  /** Discards caches and reserved ids, after other software has replaced the data. */
  forget(): void;
}

/** The components of a server before it starts. */
export interface ServerParts {
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
