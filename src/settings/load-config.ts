import { existsSync, readdirSync, type Dirent } from 'node:fs';
import { join, resolve } from 'node:path';
import { nearestName } from '#base/nearest-name.js';
import { validConfig, examineSections, type ExaminedConfig } from './apply-variables.js';
import { createEnv, lenientReaders, type Variables } from './create-env.js';
import { dependenciesOf, withInstalledPlugins, withoutOwnPlugins } from './find-plugins.js';
import type { SharedModules } from './load-source.js';
import { isReadable, readSection, type ConfigSource } from './read-section.js';
import { sectionNames, type Sections } from './sections.js';
import type { ConfigError } from './setting.js';
import type { WrittenSections } from './translate-strapi.js';
import type { Config } from './config.js';

/** The input of `loadConfig`. By default everything except the directory is taken from the process. */
interface LoadInput {
  readonly directory: string;
  /** The environment; by default NODE_ENV. */
  readonly environment?: string | undefined;
  /** Environment variables; by default those of the process and of the .env file in the directory. */
  readonly variables?: Variables | undefined;
  /** Whether the directory is a Strapi project; by default its package.json decides. */
  readonly isStrapiProject?: boolean;
  /** What the files share with the code of a Strapi project. */
  readonly modules?: SharedModules | undefined;
  /** All settings; by default without those that features add. */
  readonly sections?: Sections;
}

/**
 * Returns the configuration of a working directory, checked and frozen. Environment variables override config/*, which overrides
 * the defaults. Throws a ConfigError that lists all problems.
 */
export const loadConfig = async (input: LoadInput): Promise<Config> => validConfig(await examineConfig(input));

/** What reading the configuration of a directory shows. */
export interface ReadConfig extends ExaminedConfig {
  /** The errors that files of the configuration threw, by the line about them. */
  readonly causes: ReadonlyMap<string, unknown>;
}

/** Returns the configuration of a working directory with all its problems, in the same way. */
export async function examineConfig(input: LoadInput): Promise<ReadConfig> {
  const directory = resolve(input.directory);
  const isStrapiProject = input.isStrapiProject ?? dependsOnStrapi(directory);
  const variables = input.variables ?? readProcess(directory, isStrapiProject);
  const environment = input.environment ?? variables.NODE_ENV;
  const warnings: string[] = [];
  const env = createEnv(variables, isStrapiProject ? lenientReaders : undefined);
  const causes = new Map<string, unknown>();
  const problems: string[] = [];
  const noteIn = (lines: string[]) => (text: string, cause?: unknown) => {
    lines.push(text);
    if (cause !== undefined) causes.set(text, cause);
  };
  const [warn, noteProblem] = [noteIn(warnings), noteIn(problems)];
  const refuse = ({ message, cause }: ConfigError): void => {
    noteProblem(message, cause);
  };
  const { modules } = input;
  const source = { directory, environment: environment || 'development', env, modules, isStrapiProject, warn, refuse };
  const read = await readSections(source);
  const written = isStrapiProject ? pluginsOfProject(read, directory) : read;
  const place = { directory, environment, variables, isStrapiProject, sections: input.sections };
  const examined = examineSections(written, { ...place, warnings: [...warnings, ...misnamedFiles(directory)], problems });
  return { ...examined, causes };
}

function pluginsOfProject(read: WrittenSections, directory: string): WrittenSections {
  const { file, value } = read.plugins;
  const plugins = { file, value: withoutOwnPlugins(value, directory) };
  return withInstalledPlugins({ ...read, plugins }, dependenciesOf(directory));
}

/** Returns whether the package.json of a directory depends on Strapi. */
export const dependsOnStrapi = (directory: string): boolean => '@strapi/strapi' in dependenciesOf(directory);

/** Returns a warning for each unused file of config/ and config/env/* whose name resembles that of a configuration file. */
function misnamedFiles(directory: string): readonly string[] {
  const environments = listFolder(join(directory, 'config/env')).filter((entry) => entry.isDirectory());
  return [
    ...misnamedIn(directory, 'config', [...sectionNames, 'extensions']),
    ...environments.flatMap(({ name }) => misnamedIn(directory, `config/env/${name}`, sectionNames)),
  ];
}

function misnamedIn(directory: string, folder: string, names: readonly string[]): readonly string[] {
  return listFolder(join(directory, folder)).flatMap((entry) => {
    const [file, name = '', ending = ''] = /^([\w-]+)(\.\w+)$/.exec(entry.name) ?? [];
    const better = isReadable(ending) ? ending : otherEndings[ending];
    const near = better === undefined || entry.isDirectory() ? null : nearestName(name, names);
    if (file === undefined || better === undefined || near === null || near + better === file) return [];
    return [`${folder}/${file} is not read; did you mean ${folder}/${near}${better}?`];
  });
}

/** File extensions that cannot be read, each with the extension to use instead. */
const otherEndings: Readonly<Record<string, string>> = {
  '.mts': '.ts',
  '.cts': '.ts',
  '.yaml': '.json',
  '.yml': '.json',
  '.toml': '.json',
  '.json5': '.json',
};

const listFolder = (folder: string): readonly Dirent[] =>
  existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];

/**
 * Loads the .env file into the environment of the process, so that libraries can read it too, and returns that environment.
 * Variables that are already set are kept. Code of Strapi projects expects NODE_ENV, which Strapi sets.
 */
function readProcess(directory: string, isStrapiProject: boolean): Variables {
  const file = join(directory, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  if (isStrapiProject && !process.env.NODE_ENV) process.env.NODE_ENV = 'development';
  return process.env;
}

async function readSections(source: ConfigSource): Promise<WrittenSections> {
  const read = await Promise.all(sectionNames.map(async (name) => [name, await readSection(source, name)] as const));
  return Object.fromEntries(read) as WrittenSections; // one for each name
}
