import type { Logger } from 'pino';
import type { PartialConfig } from './config/create-config.js';
import type { Config } from './config/config.js';
import type { Hook, Register } from './graphql/extension/create-extension.js';
import type { Media } from './media/media.js';
import type { Backend } from './mongo/models/open-backend.js';

/** The options of a server. */
export interface ServerInput {
  /** Any part of the configuration; defaults fill the rest. `database.uri` must be given. */
  readonly config: PartialConfig;
  /** One like the service's own is made unless given. */
  readonly logger?: Logger;
  /**
   * Shapes the GraphQL schema in code, as config/extensions does for a service that is started from a directory: called once by
   * `start`, which rejects with its error.
   */
  readonly register?: Register;
  /**
   * Called once, when the database has answered and before the port is open, or when the database answers later. `start` rejects
   * with its error.
   */
  readonly bootstrap?: Hook;
  /** Called once by `stop`, after the last request and before the database is closed. What it throws is logged. */
  readonly destroy?: Hook;
  /**
   * Whether the database is one that was started for this service alone. Outside of production the service is then open to programs of
   * this machine until there is a user or a grant, unless `api.open` says otherwise.
   */
  readonly embeddedDatabase?: boolean;
  /** The directory of a Strapi v4 project whose code runs here. It is loaded by `start`, behind `register`. */
  readonly project?: string;
}

/** The whole service, from the connection to MongoDB to the port it listens on. */
export interface MangroveServer {
  /** Address of the service, without a slash at the end; empty before it listens. */
  readonly url: string;
  readonly config: Config;
  /**
   * Connects to the database, calls `bootstrap`, and listens; resolves when the port is open. If the database does not answer, the
   * server listens all the same, answers 503, and tries again. If it rejects, `stop` closes what it has opened.
   */
  start(): Promise<void>;
  /** Lets requests under way finish, then closes everything. */
  stop(): Promise<void>;
}

/** A server with the parts that the commands of Mangrove use. */
export interface Service extends MangroveServer {
  /** Null until the database has answered. */
  readonly backend: Backend | null;
  /** Null until the database has answered, and if uploads are switched off. */
  readonly media: Media | null;
  /** Drops caches and reserved ids, after the data were replaced by other means. */
  forget(): void;
}
