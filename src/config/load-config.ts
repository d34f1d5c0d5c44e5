import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { completeConfig } from './complete-config.js';
import { createEnv } from './create-env.js';
import { readSection } from './read-section.js';
import type { Config } from './config.js';
import type { WrittenSection } from './read-section.js';
import type { Variables } from './read-variable.js';
import type { SectionName } from './sections.js';

/** All but the working directory may be left to the process. */
export interface LoadInput {
  readonly directory: string;
  /** NODE_ENV unless given. */
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
  const environment = input.environment ?? variables.NODE_ENV;
  return completeConfig(await readSections(directory, variables), { directory, environment, variables });
}

/** The .env file goes into the environment of the process, where the libraries that read it look too; what is set there stays. */
function readProcess(directory: string): Variables {
  const file = join(directory, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

async function readSections(directory: string, variables: Variables): Promise<Record<SectionName, WrittenSection>> {
  const env = createEnv(variables);
  const read = (name: SectionName): Promise<WrittenSection> => readSection(directory, name, env);
  const [server, database, api, plugins, middlewares, admin] = await Promise.all([
    read('server'),
    read('database'),
    read('api'),
    read('plugins'),
    read('middlewares'),
    read('admin'),
  ]);
  return { server, database, api, plugins, middlewares, admin };
}
