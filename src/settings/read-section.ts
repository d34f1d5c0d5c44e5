import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, environmentOf } from './setting.js';
import { loadSource, sourceEndings, type LoadOptions, type MissingModule, type SharedModules } from './load-source.js';
import { createStandIn, isStandIn } from './stand-in.js';
import { isRecord } from '#base/values.js';
import type { Env } from './create-env.js';

/** A section as it is written, and its file. */
export interface WrittenSection {
  /** Name of the file in errors: `config/server.ts`, or `config/server` if there is none. */
  readonly file: string;
  readonly value: unknown;
}

/** The directory of the configuration, and the input of its files. */
export interface ConfigSource {
  /** Absolute path of the directory that contains config/. */
  readonly directory: string;
  /** Name of the environment. Files in config/env/<environment>/ override those in config/. */
  readonly environment: string;
  readonly env: Env;
  /** What the files share with the code of a Strapi project; by default each of them has modules of its own. */
  readonly modules?: SharedModules | undefined;
  /** Whether the directory is a Strapi project. A file that throws is then ignored with a warning, except in production. */
  readonly isStrapiProject: boolean;
  /** Called with an error of the configuration that is not fatal, and what was thrown, if anything was. */
  readonly warn: (text: string, cause?: unknown) => void;
  /** Called with a fatal error. The file is then left out, so that all errors are found. */
  readonly refuse: (error: ConfigError) => void;
}

type Loader = (path: string, options: LoadOptions) => Promise<unknown>;

const loaders: Readonly<Record<string, Loader>> = {
  ...Object.fromEntries(sourceEndings.map((ending) => [ending, ending === '.ts' ? loadSource : loadScript])),
  '.json': async (path) => ({ default: JSON.parse(await readFile(path, 'utf8')) as unknown }),
};

/**
 * Reads `config/<name>.{ts,js,cjs,mjs,json}`, and overrides it with the same file in `config/env/<environment>`. Each exports an
 * object, or a function of `{ env }` that returns one. Without files the section is empty.
 */
export async function readSection(source: ConfigSource, name: string): Promise<WrittenSection> {
  const base = await readPart(source, `config/${name}`);
  const over = await readPart(source, `config/env/${source.environment}/${name}`);
  if (over === null) return base ?? { file: `config/${name}`, value: {} };
  return base === null ? over : { file: base.file, value: merge(base.value, over.value) };
}

/** Returns whether files with this extension can be read. */
export const isReadable = (ending: string): boolean => Object.hasOwn(loaders, ending);

/** Merges two values: objects recursively; any other value, such as a list, replaces the former one unless it is undefined. */
export function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged = Object.entries(over).map(([key, value]) => [key, merge(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

async function readPart(source: ConfigSource, path: string): Promise<WrittenSection | null> {
  const [extension, second] = Object.keys(loaders).filter((end) => existsSync(join(source.directory, path + end)));
  if (extension === undefined) return null;
  const file = path + extension;
  if (second !== undefined)
    refuseFile(source, new ConfigError(`${file} and ${path}${second} both exist; keep one of them`), `${file} counts`);
  return { file, value: await evaluate(source, file) };
}

/**
 * Reports an error in a file. Warns in a Strapi project outside of production, and for config/database, which a Strapi project writes
 * for SQL; otherwise the error is fatal.
 */
function refuseFile(
  { environment, isStrapiProject, ...source }: ConfigSource,
  error: ConfigError,
  consequence: string,
): undefined {
  const isIgnored = /^config\/(?:env\/[^/]+\/)?database\./.test(error.message);
  if (isStrapiProject && (isIgnored || environmentOf(environment) !== 'production'))
    source.warn(`${error.message}; ${consequence}`, error.cause);
  else source.refuse(error);
}

async function evaluate(source: ConfigSource, file: string): Promise<unknown> {
  const { directory, env, modules, warn } = source;
  const missing = ({ message, reason }: MissingModule): object => {
    warn(`${message}; what needs it fails`);
    return (modules?.leaveOut ?? leaveOut)(reason);
  };
  try {
    const exported = defaultOf(await loaders[extname(file)]?.(join(directory, file), { ...modules, directory, missing }));
    // By convention, a function in a configuration file takes `{ env }`.
    const isCalled = typeof exported === 'function' && !isStandIn(exported);
    return isCalled ? await (exported as (input: { env: Env }) => unknown)({ env }) : exported;
  } catch (error) {
    return refuseFile(source, new ConfigError(`${file}: ${reasonOf(error)}`, { cause: error }), 'the file is left out');
  }
}

const leaveOut = (message: string): object =>
  createStandIn(() => {
    throw new Error(message);
  });

/**
 * Loads a module of either kind, regardless of its package.json. A module that needs to be a real ES module is imported as one.
 */
async function loadScript(path: string, options: LoadOptions): Promise<unknown> {
  try {
    return await loadSource(path, options);
  } catch (error) {
    if (!(error instanceof SyntaxError) || !/await|import\.meta/.test(error.message)) throw error;
    return import(pathToFileURL(path).href);
  }
}

/** Returns the message of an error. For a syntax error it includes the line, which V8 gives only in the stack. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const line = error instanceof SyntaxError ? /^.*:(\d+)\n/.exec(error.stack ?? '')?.[1] : undefined;
  return line === undefined ? error.message : `${error.message} (line ${line})`;
}

/**
 * Returns the default export of a module. CommonJS compiled from ES modules nests it one level deeper; plain CommonJS is itself
 * the value.
 */
function defaultOf(module: unknown): unknown {
  const isWrapped = (value: unknown): value is { default: unknown } =>
    typeof value === 'object' && value !== null && 'default' in value;
  const outer = isWrapped(module) ? module.default : module;
  return isWrapped(outer) && '__esModule' in outer ? outer.default : outer;
}
