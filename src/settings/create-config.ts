import { completeConfig } from './apply-variables.js';
import { ConfigError, environmentOf } from './setting.js';
import { suggest } from '#base/nearest-name.js';
import { bySection, sectionNames, type SectionName, type Sections } from './sections.js';
import type { SettingInput, Config } from './config.js';

/** Any part of the configuration, given in code. */
export type PartialConfig = { readonly [Name in SectionName]?: SettingInput<Config[Name]> } & {
  /** The directory that relative paths refer to; by default the working directory of the process. */
  readonly directory?: string;
  /** The environment; by default NODE_ENV. */
  readonly environment?: string;
  /** The name of the environment in a complete configuration. It is used if it means the same as `environment`. */
  readonly environmentName?: string;
  /** Warnings from reading the configuration files. */
  readonly warnings?: readonly string[];
};

/**
 * Returns the configuration of a server that is started from code. No files are read, and no environment variables except
 * NODE_ENV. Throws a ConfigError if a setting is invalid. `known` are all settings, by default without those that features add.
 */
export function createConfig(
  { directory, environment, environmentName, warnings, ...given }: PartialConfig = {},
  known?: Sections,
): Config {
  const unknown = Object.keys(given).find((name) => !sectionNames.some((section) => section === name));
  if (unknown !== undefined) throw new ConfigError(`config: unknown key ${unknown}${suggest(unknown, sectionNames)}`);
  const written = bySection((name) => ({ file: `config.${name}`, value: given[name] ?? {} }));
  const config = completeConfig(written, {
    directory: directory ?? process.cwd(),
    environment: nameOf(environment, environmentName) ?? process.env.NODE_ENV,
    variables: {},
    warnings: [],
    isStrapiProject: false,
    sections: known,
  });
  return warnings === undefined ? config : Object.freeze({ ...config, warnings });
}

const nameOf = (environment?: string, name?: string): string | undefined =>
  name !== undefined && (environment === undefined || environmentOf(name) === environment) ? name : environment;
