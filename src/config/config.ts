import type { adminSettings, SectionName, webhookSettings, backupSettings } from './sections.js';
import type { apiSettings } from './api-settings.js';
import type { databaseSettings, middlewareSettings, serverSettings } from './server-settings.js';
import type { pluginSettings } from './plugin-settings.js';
import type { Environment, ValueOf } from './setting.js';
import type { Env } from './create-env.js';

export type ServerConfig = ValueOf<typeof serverSettings>;
export type DatabaseConfig = ValueOf<typeof databaseSettings>;
export type ApiConfig = ValueOf<typeof apiSettings>;
export type PluginsConfig = ValueOf<typeof pluginSettings>;
export type MiddlewaresConfig = ValueOf<typeof middlewareSettings>;
export type AdminConfig = ValueOf<typeof adminSettings>;
export type WebhooksConfig = ValueOf<typeof webhookSettings>;
export type BackupConfig = ValueOf<typeof backupSettings>;

/** All settings: complete, checked and frozen. Each is described where it is declared, in the `*-settings.ts` of its section. */
export interface Config {
  /** Absolute path of the directory that relative paths in the configuration refer to. */
  readonly directory: string;
  /** What NODE_ENV means; `development` by default. */
  readonly environment: Environment;
  /** NODE_ENV as it is written, such as `staging`, which means production; `development` by default. */
  readonly environmentName: string;
  /** A line of advice for each part of the configuration that has no effect. */
  readonly warnings: readonly string[];
  readonly server: ServerConfig;
  readonly database: DatabaseConfig;
  readonly api: ApiConfig;
  readonly plugins: PluginsConfig;
  readonly middlewares: MiddlewaresConfig;
  readonly admin: AdminConfig;
  readonly webhooks: WebhooksConfig;
  readonly backup: BackupConfig;
}

/** The possible exports of a file of config/: a part of its section, or a function of `{ env }` that returns one. */
export type ConfigFile<S extends SectionName> =
  Given<Config[S]> | ((input: { readonly env: Env }) => Given<Config[S]> | Promise<Given<Config[S]>>);

/** Any part of a section. A group with `enabled` may also be written as true or false. */
export type Given<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? PartialSection<T> | (T extends { readonly enabled: boolean } ? boolean : never)
    : T;

export type PartialSection<T> = { readonly [K in keyof T]?: Given<T[K]> | undefined };
