import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from './config-error.js';
import { loadTypescript } from './load-typescript.js';
import type { Env } from './create-env.js';

/** What config/ says about one section: the value as written, and the file it is in. */
export interface WrittenSection {
  /** As an error names it: `config/server.ts`, or `config/server` where there is no file. */
  readonly file: string;
  readonly value: unknown;
}

const loaders: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  '.ts': loadTypescript,
  '.js': (path) => import(pathToFileURL(path).href),
  '.json': async (path) => ({ default: JSON.parse(await readFile(path, 'utf8')) as unknown }),
};

/** Reads `config/<name>.{ts,js,json}`: an object, or a function of `{ env }` that gives one. No file: nothing is set. */
export async function readSection(directory: string, name: string, env: Env): Promise<WrittenSection> {
  const [extension, second] = Object.keys(loaders).filter((end) => existsSync(join(directory, 'config', name + end)));
  if (extension === undefined) return { file: `config/${name}`, value: {} };
  const file = `config/${name}${extension}`;
  if (second !== undefined) throw new ConfigError(`${file} and config/${name}${second} both exist; keep one of them`);
  return { file, value: await evaluate(directory, file, env) };
}

async function evaluate(directory: string, file: string, env: Env): Promise<unknown> {
  try {
    const exported = defaultOf(await loaders[extname(file)]?.(join(directory, file)));
    // A function in a configuration file takes `{ env }`: that is the contract of the file.
    return typeof exported === 'function' ? await (exported as (input: { env: Env }) => unknown)({ env }) : exported;
  } catch (error) {
    throw new ConfigError(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The message; syntax errors of V8 name their line at the head of the stack only. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const line = error instanceof SyntaxError ? /^.*:(\d+)\n/.exec(error.stack ?? '')?.[1] : undefined;
  return line === undefined ? error.message : `${error.message} (line ${line})`;
}

/** The default export. CommonJS compiled from ES modules has it one level down, plain CommonJS is the value itself. */
function defaultOf(module: unknown): unknown {
  const isWrapped = (value: unknown): value is { default: unknown } =>
    typeof value === 'object' && value !== null && 'default' in value;
  const outer = isWrapped(module) ? module.default : module;
  return isWrapped(outer) && '__esModule' in outer ? outer.default : outer;
}
