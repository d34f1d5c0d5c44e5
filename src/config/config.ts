import type { adminSettings } from './sections.js';
import type { apiSettings } from './api-settings.js';
import type { databaseSettings } from './database-settings.js';
import type { middlewareSettings } from './middleware-settings.js';
import type { pluginSettings } from './plugin-settings.js';
import type { serverSettings } from './server-settings.js';
import type { Environment, ValueOf } from './setting.js';

export type ServerConfig = ValueOf<typeof serverSettings>;
export type DatabaseConfig = ValueOf<typeof databaseSettings>;
export type ApiConfig = ValueOf<typeof apiSettings>;
export type PluginsConfig = ValueOf<typeof pluginSettings>;
export type MiddlewaresConfig = ValueOf<typeof middlewareSettings>;
export type AdminConfig = ValueOf<typeof adminSettings>;

/** All settings, complete, checked and frozen. Each is described where it is declared, in the `*-settings.ts` of its section. */
export interface Config {
  /** Absolute path that relative ones in the configuration start from. */
  readonly directory: string;
  /** NODE_ENV: `development` unless set. */
  readonly environment: Environment;
  /** What of the written configuration has no effect, and what to do about it; one line each. */
  readonly warnings: readonly string[];
  readonly server: ServerConfig;
  readonly database: DatabaseConfig;
  readonly api: ApiConfig;
  readonly plugins: PluginsConfig;
  readonly middlewares: MiddlewaresConfig;
  readonly admin: AdminConfig;
}
