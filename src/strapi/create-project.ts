import { join, relative } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { loadSource, sourceFile, type LoadOptions } from '../config/load-source.js';
import type { ContentContext, WriteHooks } from '../content/content-context.js';
import { contentOfCode, type Hook, type Register } from '../graphql/extension/create-extension.js';
import type { Connection } from '../http/running.js';
import { isRecord } from '../values.js';
import { CodeTransactions } from './code-transactions.js';
import { Lifecycles } from './lifecycles.js';
import { createProjectStrapi, type ProjectStrapi } from './project-strapi.js';
import { runLeniently } from './run-code.js';
import { strapiPackages } from './strapi-packages.js';
import { UnsupportedCodeError } from './unsupported-code.js';

const hookNames = ['register', 'bootstrap', 'destroy'] as const;
type HookName = (typeof hookNames)[number];

/** The code of a Strapi project. */
export interface Project {
  /** Loads the code, and runs the `register` of src/index. */
  readonly register: Register;
  readonly bootstrap: Hook;
  readonly destroy: Hook;
  /** What operations of code work with at the time. Throws a 503 before there is a database. */
  readonly content: () => ContentContext;
  readonly writeHooks: WriteHooks;
}

export interface ProjectInput {
  /** Absolute. */
  readonly directory: string;
  readonly config: Config;
  readonly logger: Logger;
  readonly connection: Connection;
}

/** A function of src/index. */
type ProjectHook = (input: { readonly strapi: ProjectStrapi }) => unknown;

/** What src/index exports, and what its functions are given. */
interface Loaded {
  readonly hooks: Partial<Record<HookName, ProjectHook>>;
  readonly strapi: ProjectStrapi;
}

/**
 * Returns what runs the code of a project. Its files also see `strapi` as a global. What they throw is printed with its stack and becomes
 * a ConfigError. Code that cannot run here stops the start in production; elsewhere the function ends there, with a warning.
 */
export function createProject({ directory, connection }: ProjectInput): Project {
  const transactions = new CodeTransactions();
  const contentOutside = contentOfCode(connection);
  const content = (): ContentContext => transactions.contextOf(contentOutside());
  const lifecycles = new Lifecycles({ content, transactions });
  const path = sourceFile(join(directory, 'src/index'));
  let loaded: Loaded | null = null;
  const hook =
    (name: HookName): Hook =>
    ({ strapi }) =>
      runLeniently(path === null ? name : `${relative(directory, path)}, ${name}`, strapi, async () => {
        if (name === 'register') {
          const own = createProjectStrapi(strapi, { content, lifecycles, transactions });
          loaded = { strapi: own, hooks: path === null ? {} : await loadHooks(path, directory, own) };
        }
        return loaded?.hooks[name]?.({ strapi: loaded.strapi });
      });
  return {
    register: hook('register'),
    bootstrap: hook('bootstrap'),
    destroy: hook('destroy'),
    content,
    writeHooks: lifecycles,
  };
}

async function loadHooks(path: string, directory: string, strapi: ProjectStrapi): Promise<Loaded['hooks']> {
  const missing: LoadOptions['missing'] = ({ message }) => {
    throw new UnsupportedCodeError(message);
  };
  const module = await loadSource(path, { directory, packages: strapiPackages(), globals: { strapi }, missing });
  const exported = isRecord(module) && isRecord(module['default']) ? module['default'] : module;
  const hooks = hookNames.flatMap((name) => {
    const hook = isRecord(exported) ? exported[name] : undefined;
    if (hook !== undefined && typeof hook !== 'function') throw new Error(`${name} must be a function`);
    return hook === undefined ? [] : [[name, hook] as const];
  });
  return Object.fromEntries(hooks) as Loaded['hooks']; // the contract of the file
}
