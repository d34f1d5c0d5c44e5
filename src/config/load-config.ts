import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { applyVariables } from './apply-variables.js';
import { checkSection } from './check-section.js';
import { checkTogether } from './check-together.js';
import { ConfigError } from './config-error.js';
import { createEnv } from './create-env.js';
import { fillDefaults } from './fill-defaults.js';
import { freezeDeep } from './freeze-deep.js';
import { readSection } from './read-section.js';
import { sectionNames, sections } from './sections.js';
import type { Config } from './config.js';
import type { WrittenSection } from './read-section.js';
import type { Variables } from './read-variable.js';
import type { SectionName } from './sections.js';

/** All but the working directory may be left to the process. */
export interface LoadInput {
  readonly directory: string;
  /** NODE_ENV unless given; `development` where that is not set. */
  readonly environment?: string | undefined;
  /** The environment of the process, with the .env file of the directory, unless given. */
  readonly variables?: Variables | undefined;
}

/**
 * The configuration of a working directory: config/*, environment variables over it, defaults under it; checked and frozen.
 * ConfigError lists everything that is wrong at once.
 */
export async function loadConfig(input: LoadInput): Promise<Config> {
  const directory = resolve(input.directory);
  const variables = input.variables ?? readProcess(directory);
  const environment = input.environment ?? (variables.NODE_ENV || 'development');
  const given = await readSections(directory, variables);
  refuse(sectionNames.flatMap((name) => checkSection(sections[name], given[name].value, given[name].file)));
  const config: Config = {
    directory,
    environment,
    server: fillDefaults(sections.server, given.server.value),
    database: fillDefaults(sections.database, given.database.value),
    api: fillDefaults(sections.api, given.api.value),
    plugins: fillDefaults(sections.plugins, given.plugins.value),
    middlewares: fillDefaults(sections.middlewares, given.middlewares.value),
  };
  refuse(checkTogether(config));
  return freezeDeep(config);
}

/** The .env file goes into the environment of the process, where the libraries that read it look too; what is set there stays. */
function readProcess(directory: string): Variables {
  const file = join(directory, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

async function readSections(directory: string, variables: Variables): Promise<Record<SectionName, WrittenSection>> {
  const env = createEnv(variables);
  const read = async (name: SectionName): Promise<WrittenSection> => {
    const written = await readSection(directory, name, env);
    return { ...written, value: applyVariables(sections[name], written.value, variables) };
  };
  const [server, database, api, plugins, middlewares] = await Promise.all([
    read('server'),
    read('database'),
    read('api'),
    read('plugins'),
    read('middlewares'),
  ]);
  return { server, database, api, plugins, middlewares };
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}
