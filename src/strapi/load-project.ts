import { join, relative } from 'node:path';
import { ConfigError } from '../config/setting.js';
import { dependsOnStrapi } from '../config/load-config.js';
import { loadSource, sourceFile, type LoadOptions } from '../config/load-source.js';
import type { Hook, Register } from '../graphql/extension/create-extension.js';
import type { Strapi } from '../graphql/extension/extension.js';
import { isRecord } from '../schema/content-type.js';
import { UnsupportedCodeError } from './unsupported-code.js';
import { createProjectStrapi } from './project-strapi.js';
import { strapiPackages } from './strapi-packages.js';

const hookNames = ['register', 'bootstrap', 'destroy'] as const;
type HookName = (typeof hookNames)[number];

/** The functions of a project's src/index, loaded by `register`. One that the file lacks does nothing. */
interface ProjectHooks {
  readonly register: Register;
  readonly bootstrap: Hook;
  readonly destroy: Hook;
}

/** What src/index exports, and what its functions are given. */
interface Loaded {
  readonly hooks: Partial<Record<HookName, Hook>>;
  readonly strapi: Strapi;
}

/**
 * Returns the `register`, `bootstrap` and `destroy` of src/index.{ts,js} of a Strapi project; null if the directory holds none, or
 * it lacks the file. The file and those that it imports also see `strapi` as a global; `own` has the error classes that they
 * import from Strapi. What they throw is printed with its stack and becomes a ConfigError. Code that cannot run here stops the
 * start in production; elsewhere the function ends there, with a warning.
 */
export function loadProject(directory: string, own: Readonly<Record<string, unknown>>): ProjectHooks | null {
  const path = dependsOnStrapi(directory) ? sourceFile(join(directory, 'src/index')) : null;
  if (path === null) return null;
  const file = relative(directory, path);
  let loaded: Loaded | null = null;
  const hook =
    (name: HookName): Hook =>
    ({ strapi }) =>
      leniently(`${file}, ${name}`, strapi, async () => {
        if (name === 'register') loaded = await loadHooks(path, { directory, strapi, packages: strapiPackages(own) });
        return loaded?.hooks[name]?.({ strapi: loaded.strapi });
      });
  return { register: hook('register'), bootstrap: hook('bootstrap'), destroy: hook('destroy') };
}

interface HookSource extends Pick<LoadOptions, 'packages'> {
  readonly directory: string;
  readonly strapi: Strapi;
}

async function loadHooks(path: string, { strapi: given, ...options }: HookSource): Promise<Loaded> {
  const strapi = createProjectStrapi(given);
  const missing: LoadOptions['missing'] = ({ message }) => {
    throw new UnsupportedCodeError(message);
  };
  const module = await loadSource(path, { ...options, globals: { strapi }, missing });
  const exported = isRecord(module) && isRecord(module['default']) ? module['default'] : module;
  const hooks = hookNames.flatMap((name) => {
    const hook = isRecord(exported) ? exported[name] : undefined;
    if (hook !== undefined && typeof hook !== 'function') throw new Error(`${name} must be a function`);
    return hook === undefined ? [] : [[name, hook] as const];
  });
  return { hooks: Object.fromEntries(hooks) as Loaded['hooks'], strapi }; // the contract of the file
}

async function leniently(place: string, { config, log }: Strapi, run: () => unknown): Promise<void> {
  await explained(place, async () => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof UnsupportedCodeError) || config.environment === 'production') throw error;
      log.warn({}, `${place}: ${error.message}`);
    }
  });
}

/** Runs code of a project. What it throws is printed with its stack and becomes a ConfigError that names the place. */
export async function explained(place: string, run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    console.error(error);
    throw new ConfigError(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
