import { completeConfig } from './complete-config.js';
import type { Config } from './config.js';
import type { SectionName } from './sections.js';

type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
    : Value;

/** Any part of the configuration, written in code. */
export type PartialConfig = { readonly [Name in SectionName]?: DeepPartial<Config[Name]> } & {
  readonly directory?: string;
  readonly environment?: string;
};

/** The configuration of a server that is started from code: no file and no environment variable is read. Throws a ConfigError. */
export function createConfig({ directory, environment, ...given }: PartialConfig): Config {
  const written = (name: SectionName) => ({ value: given[name] ?? {}, file: `the ${name} configuration` });
  const sections = {
    server: written('server'),
    database: written('database'),
    api: written('api'),
    plugins: written('plugins'),
    middlewares: written('middlewares'),
  };
  const place = { directory: directory ?? process.cwd(), environment: environment ?? process.env['NODE_ENV'] ?? 'development' };
  return completeConfig(sections, { ...place, variables: {} });
}
