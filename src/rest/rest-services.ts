import type { Config } from '../config/config.js';
import type { Gate } from '../http/create-gate.js';
import type { Connection, Running } from '../http/running.js';
import type { QueryCache } from './query-cache.js';

/** What the REST front end is given. */
export interface RestServices {
  readonly config: Config;
  readonly queries: QueryCache;
  readonly connection: Connection;
  readonly gate: Gate;
}

/** The same for a request, once the database has answered. */
export interface RestParts extends Pick<RestServices, 'queries'> {
  readonly running: Running;
}
