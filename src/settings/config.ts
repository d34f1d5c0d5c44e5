import type { SectionName, sections } from './sections.js';
import type { Environment, ValueOf } from './setting.js';
import type { Env } from './create-env.js';

/**
 * The settings that features add, by section and name. A feature adds its types where it declares them:
 * `declare module '#settings/config.js' { interface FeatureSettings { readonly 'server.traces': boolean } }`.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- features add its properties
export interface FeatureSettings {}

/** All settings: complete, checked and frozen. Each is described where it is declared, in the `*-settings.ts` of its section. */
export type Config = {
  readonly [Name in SectionName]: ValueOf<(typeof sections)[Name]> & {
    readonly [Key in keyof FeatureSettings as Key extends `${Name}.${infer Added}` ? Added : never]: FeatureSettings[Key];
  };
} & {
  /** Absolute path of the directory that relative paths in the configuration refer to. */
  readonly directory: string;
  /** What NODE_ENV means; `development` by default. */
  readonly environment: Environment;
  /** NODE_ENV as it is written, such as `staging`, which means production; `development` by default. */
  readonly environmentName: string;
  /** A line of advice for each part of the configuration that has no effect. */
  readonly warnings: readonly string[];
};

export type ServerConfig = Config['server'];
export type DatabaseConfig = Config['database'];
export type ApiConfig = Config['api'];
export type PluginsConfig = Config['plugins'];
export type MiddlewaresConfig = Config['middlewares'];
export type AdminConfig = Config['admin'];
export type WebhooksConfig = Config['webhooks'];
export type BackupConfig = Config['backup'];

/** The possible exports of a file of config/: a part of its section, or a function of `{ env }` that returns one. */
export type ConfigFile<S extends SectionName> =
  SettingInput<Config[S]> | ((input: { readonly env: Env }) => SettingInput<Config[S]> | Promise<SettingInput<Config[S]>>);

/** Any part of a section. A group with `enabled` may also be written as true or false. */
export type SettingInput<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? PartialSection<T> | (T extends { readonly enabled: boolean } ? boolean : never)
    : T;

export type PartialSection<T> = { readonly [K in keyof T]?: SettingInput<T[K]> | undefined };
