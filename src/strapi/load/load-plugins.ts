import { relative } from 'node:path';
import { createEnv, lenientReaders } from '#settings/create-env.js';
import type { PluginPlace } from '#settings/find-plugins.js';
import { createSourceLoader, type LoadOptions } from '#settings/load-source.js';
import { merge } from '#settings/read-section.js';
import { valuesOf } from '#settings/translation.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { defaultOf, type Exports } from './load-folders.js';
import { isLeftOut, leaveOut, UnsupportedCodeError } from './unsupported-code.js';

/** The server code of a plugin in the form of Strapi v4, with all members. Extensions of the project may have changed it. */
interface PluginCode extends Values {
  readonly services: unknown;
  readonly controllers: unknown;
  readonly policies: unknown;
  readonly middlewares: unknown;
  readonly contentTypes: unknown;
  readonly routes: unknown;
  readonly config: unknown;
}

/** A plugin of a project, with its server code. */
export interface ProjectPlugin {
  readonly name: string;
  /** Path of its file relative to the project. */
  readonly file: string;
  readonly code: PluginCode;
  /** The settings in force. */
  readonly config: Values;
}

/** Returns whether a plugin has code of `bootstrap`. */
export const hasBootstrap = ({ code }: ProjectPlugin): boolean =>
  typeof code['bootstrap'] === 'function' && code['bootstrap'] !== emptyPlugin['bootstrap'];

/** Reports code of a plugin that cannot run, and continues with the other code. */
export type PluginReport = (place: string, problem: unknown) => void;

interface LoadParts {
  readonly options: LoadOptions & { readonly directory: string };
  readonly strapi: unknown;
  /** `strapi-server` files of src/extensions, by the name of the plugin. */
  readonly extensions: Exports;
  readonly report: PluginReport;
}

/** Loads the server code of plugins, and applies the extensions of the project. Plugins that cannot be loaded are left out. */
export async function loadPlugins(places: readonly PluginPlace[], parts: LoadParts): Promise<readonly ProjectPlugin[]> {
  const loaded: ProjectPlugin[] = [];
  for (const place of places)
    await attempt(`plugin ${place.name}`, parts.report, async () => loaded.push(await loadPlugin(place, parts)));
  return loaded;
}

/** Runs something with the code of a plugin, and reports its error. */
export async function attempt(place: string, report: PluginReport, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    report(place, error);
  }
}

async function loadPlugin({ name, files, config }: PluginPlace, parts: LoadParts): Promise<ProjectPlugin> {
  const { file, exported } = await loadFirst(files, parts);
  const input = { strapi: parts.strapi, env: createEnv(process.env, lenientReaders) };
  const server: unknown = typeof exported === 'function' ? await (exported as PluginFunction)(input) : exported;
  if (!isRecord(server)) throw new Error(`${file} exports no plugin`);
  const code = await extend({ ...emptyPlugin, ...server }, name, parts);
  return { name, file, code, config: settingsOf(code.config, config, input) };
}

type PluginFunction = (input: object) => unknown;

const emptyPlugin: PluginCode = {
  register: () => undefined,
  bootstrap: () => undefined,
  destroy: () => undefined,
  config: {},
  contentTypes: {},
  services: {},
  controllers: {},
  policies: {},
  middlewares: {},
  routes: {},
};

/** Returns the exports of the first file that can run. The files after it replace a build that is absent. */
async function loadFirst(
  [path = '', ...others]: readonly string[],
  parts: LoadParts,
): Promise<{ readonly file: string; readonly exported: unknown }> {
  const problems: string[] = [];
  const missing: LoadOptions['missing'] = ({ message }) => {
    problems.push(message);
    return leaveOut(message);
  };
  const unsupported = new Set<string>();
  const packages = lenientPackages(parts.options.packages ?? {}, ({ message }) => unsupported.add(message));
  const load = await createSourceLoader({ ...parts.options, packages, missing });
  const exported = defaultOf(load(path));
  if (isLeftOut(exported) && others.length > 0) return loadFirst(others, parts);
  const file = relative(parts.options.directory, path);
  if (isLeftOut(exported)) throw new Error(problems.join('; '));
  for (const message of unsupported) parts.report(file, message);
  for (const problem of problems) parts.report(problem.replace(/: .*/s, ''), problem.replace(/^.*?: /, ''));
  return { file, exported };
}

/**
 * Returns the replacements of Strapi's packages for files that may import names which are not offered. Such a name is a stand-in,
 * whose use throws the UnsupportedCodeError. `report` is called for each.
 */
const lenientPackages = (
  packages: Readonly<Record<string, unknown>>,
  report: (error: UnsupportedCodeError) => void,
): Readonly<Record<string, unknown>> => mapValues(packages, (exported) => lenient(exported, report));

const lenient = (exported: unknown, report: (error: UnsupportedCodeError) => void): unknown =>
  typeof exported !== 'object' || exported === null
    ? exported
    : new Proxy(exported, {
        get: (target, name) => {
          try {
            return Reflect.get(target, name) as unknown;
          } catch (error) {
            if (!(error instanceof UnsupportedCodeError)) throw error;
            report(error);
            return leaveOut(error.message);
          }
        },
      });

/** Applies the strapi-server file of an extension to a plugin. */
async function extend(code: PluginCode, name: string, { extensions, report }: LoadParts): Promise<PluginCode> {
  const extension = extensions.get(name);
  if (typeof extension?.code !== 'function') return code;
  try {
    const changed: unknown = await (extension.code as (plugin: PluginCode) => unknown)(code);
    return isRecord(changed) ? { ...emptyPlugin, ...changed } : code;
  } catch (error) {
    report(extension.file, error);
    return code;
  }
}

/** Returns the settings of a plugin with its defaults. Throws an Error if the plugin refuses them. */
function settingsOf(given: unknown, written: Values, input: object): Values {
  const { default: defaults, validator } = valuesOf(given);
  const base: unknown = typeof defaults === 'function' ? (defaults as PluginFunction)(input) : defaults;
  const merged = merge(valuesOf(base), written) as Values; // both are objects
  if (typeof validator === 'function') (validator as (config: Values) => unknown)(merged);
  return merged;
}
