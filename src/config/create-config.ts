import { completeConfig } from './apply-variables.js';
import { ConfigError } from './setting.js';
import { suggest } from '../nearest-name.js';
import { sectionNames } from './sections.js';
import type { Given, Config } from './config.js';
import type { WrittenSection } from './read-section.js';
import type { SectionName } from './sections.js';

/** Any part of the configuration, written in code. */
export type PartialConfig = { readonly [Name in SectionName]?: Given<Config[Name]> } & {
  /** The working directory of the process unless given. */
  readonly directory?: string;
  /** NODE_ENV unless given. */
  readonly environment?: string;
  /** Warnings from reading the configuration files. */
  readonly warnings?: readonly string[];
};

/**
 * The configuration of a server that is started from code: no file is read, and of the environment NODE_ENV only. Throws a
 * ConfigError as files do.
 */
export function createConfig({ directory, environment, warnings, ...given }: PartialConfig = {}): Config {
  const unknown = Object.keys(given).find((name) => !sectionNames.some((known) => known === name));
  if (unknown !== undefined) throw new ConfigError(`config: unknown key ${unknown}${suggest(unknown, sectionNames)}`);
  const written = (name: SectionName): WrittenSection => ({ file: `config.${name}`, value: given[name] ?? {} });
  const sections = {
    server: written('server'),
    database: written('database'),
    api: written('api'),
    plugins: written('plugins'),
    middlewares: written('middlewares'),
    admin: written('admin'),
  };
  const config = completeConfig(sections, {
    directory: directory ?? process.cwd(),
    environment: environment ?? process.env.NODE_ENV,
    variables: {},
    warnings: [],
    isStrapiProject: false,
  });
  return warnings === undefined ? config : Object.freeze({ ...config, warnings });
}
