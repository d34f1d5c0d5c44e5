import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { nearestName } from '../nearest-name.js';
import { completeConfig } from './complete-config.js';
import { createEnv } from './create-env.js';
import { readSection, type ConfigSource, type WrittenSection } from './read-section.js';
import { lenientReaders } from './read-variable.js';
import { sectionNames, type SectionName } from './sections.js';
import { valuesOf } from './translation.js';
import type { Config } from './config.js';
import type { Variables } from './read-variable.js';

/** All but the working directory may be left to the process. */
interface LoadInput {
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
  const isStrapiProject = dependsOnStrapi(directory);
  const warnings: string[] = [];
  const env = createEnv(variables, isStrapiProject ? lenientReaders : undefined);
  const warn = (text: string): void => void warnings.push(text);
  const written = await readSections({ directory, environment: environment || 'development', env, warn });
  const place = { directory, environment, variables, isStrapiProject };
  return completeConfig(written, { ...place, warnings: [...warnings, ...misnamedFiles(directory)] });
}

/** Whether the package.json of a directory says that it is a Strapi project. */
export function dependsOnStrapi(directory: string): boolean {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return false;
  try {
    const { dependencies } = valuesOf(JSON.parse(readFileSync(file, 'utf8')));
    return '@strapi/strapi' in valuesOf(dependencies);
  } catch {
    return false;
  }
}

/** Files of config/ that nothing reads, and whose names are near to those that are read. */
function misnamedFiles(directory: string): readonly string[] {
  const folder = join(directory, 'config');
  if (!existsSync(folder)) return [];
  const known = [...sectionNames, 'extensions'];
  return readdirSync(folder).flatMap((file) => {
    const name = /^([\w-]+)\.(ts|js|json)$/.exec(file)?.[1];
    if (name === undefined || known.includes(name)) return [];
    const near = nearestName(name, known);
    return near === null ? [] : [`config/${file} is not read; did you mean config/${near}${extname(file)}?`];
  });
}

/** The .env file goes into the environment of the process, where the libraries that read it look too; what is set there stays. */
function readProcess(directory: string): Variables {
  const file = join(directory, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

async function readSections(source: ConfigSource): Promise<Record<SectionName, WrittenSection>> {
  const read = (name: SectionName): Promise<WrittenSection> => readSection(source, name);
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
