import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isRecord, type Values } from '#base/values.js';
import { sourceFile } from './find-source.js';
import { sections } from './sections.js';
import { pluginAdvice, pluginMeanings } from './strapi-keys.js';
import type { WrittenSections } from './translate-strapi.js';
import { valuesOf } from './translation.js';

/** A plugin of a Strapi project that has server code. */
export interface PluginPlace {
  readonly name: string;
  /** Absolute paths of files that may have the server code, the preferred one first. */
  readonly files: readonly string[];
  /** Its settings as config/plugins has them. */
  readonly config: Values;
}

/**
 * Returns the plugins that Strapi v4 would run: those that config/plugins enables, by their path in `resolve` or by their name,
 * and other packages in the dependencies of package.json that are plugins. Plugins that Mangrove has or translates, plugins of
 * Strapi itself, and plugins without server code are left out.
 */
export const findPlugins = (directory: string, written: unknown): readonly PluginPlace[] =>
  [...pluginFolders(directory, written)].flatMap(([name, folder]) => {
    const files = serverFiles(folder);
    const { config } = valuesOf(valuesOf(written)[name]);
    return files.length === 0 ? [] : [{ name, files, config: valuesOf(config) }];
  });

/** Plugins of Strapi v4 that are only a custom field. */
const ownFields = ['color-picker'];

/** Returns the modules with the front ends of plugins of a project, by the name of the plugin. */
export function findFrontEnds(directory: string, written: unknown): ReadonlyMap<string, string> {
  const fields = ownFields.flatMap((name) => {
    const packageName = `@strapi/plugin-${name}`;
    const folder = packageName in dependenciesOf(directory) ? packageFolder(packageName, directory) : null;
    return folder === null ? [] : [[name, folder] as const];
  });
  const modules = [...fields, ...pluginFolders(directory, written)].flatMap(([name, folder]) => {
    const [module] = codeFiles(folder, 'strapi-admin', { keys: ['import', 'default', 'source'], usual: ['admin/src/index'] });
    return module === undefined ? [] : [[name, module] as const];
  });
  return new Map(modules);
}

/** Returns the folders of the plugins of a project by name, without those that Mangrove has or translates. */
function pluginFolders(directory: string, written: unknown): ReadonlyMap<string, string> {
  const named = Object.entries(valuesOf(written));
  const installed = installedPlugins(directory);
  const folders = new Map(installed);
  for (const [name, value] of named) {
    const { resolve: path } = valuesOf(value);
    const folder = typeof path === 'string' ? folderOf(path, directory) : null;
    if (!isEnabled(value)) folders.delete(name);
    else if (folder !== null) folders.set(name, folder);
  }
  return new Map([...folders].filter(([name]) => !isReplaced(name)));
}

/** Plugins of Strapi v4 that only some projects have, so that code asks whether they are there. */
const mayBeAbsent = ['cloud', 'color-picker', 'documentation', 'sentry', 'seo'];

/** Returns the plugins of Strapi v4 that neither package.json nor config/plugins names. */
export const absentPlugins = (directory: string, written: unknown): readonly string[] =>
  mayBeAbsent.filter((name) => !(`@strapi/plugin-${name}` in dependenciesOf(directory)) && !(name in valuesOf(written)));

/** Returns the settings of plugins without those whose own code reads them. */
export function withoutOwnPlugins(written: unknown, directory: string): unknown {
  if (!isRecord(written)) return written;
  const own = new Set(findPlugins(directory, written).map(({ name }) => name));
  return Object.fromEntries(Object.entries(written).filter(([name]) => !own.has(name)));
}

const isReplaced = (name: string): boolean =>
  [sections.plugins.settings, pluginMeanings, pluginAdvice].some((known) => Object.hasOwn(known, name));

/** Returns the dependencies in package.json of a project. */
export const dependenciesOf = (directory: string): Values => valuesOf(readManifest(directory)['dependencies']);

/** Returns the package.json of a folder; an empty object if there is none that can be read. */
function readManifest(folder: string): Values {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return {};
  try {
    return valuesOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

function installedPlugins(directory: string): readonly (readonly [name: string, folder: string])[] {
  const packages = Object.keys(dependenciesOf(directory)).filter((name) => !name.startsWith('@strapi/'));
  return packages.flatMap((packageName) => {
    const folder = packageFolder(packageName, directory);
    const { kind, name } = valuesOf(folder === null ? null : readManifest(folder)['strapi']);
    return folder === null || kind !== 'plugin' ? [] : [[typeof name === 'string' ? name : packageName, folder] as const];
  });
}

/** Returns the folder of a plugin by a path in the project or the name of a package; null if there is none. */
function folderOf(path: string, directory: string): string | null {
  const stats = statSync(resolve(directory, path), { throwIfNoEntry: false });
  if (stats === undefined) return packageFolder(path, directory);
  return stats.isDirectory() ? resolve(directory, path) : dirname(resolve(directory, path));
}

function packageFolder(name: string, directory: string): string | null {
  const folder = join(directory, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(directory) === directory ? null : packageFolder(name, dirname(directory));
}

/** Returns the files that may have the server code of a plugin. */
const serverFiles = (folder: string): readonly string[] =>
  codeFiles(folder, 'strapi-server', {
    keys: ['source', 'require', 'default', 'import'],
    usual: ['server', 'server/src', 'src/server'],
  });

interface CodePlaces {
  /** Conditions of `exports` of package.json, the preferred one first. */
  readonly keys: readonly string[];
  /** Paths of a plugin without `exports`. */
  readonly usual: readonly string[];
}

/** Returns the files that may have one part of a plugin. Sources serve where the build that they name is absent. */
function codeFiles(folder: string, part: string, { keys, usual }: CodePlaces): readonly string[] {
  const exported = valuesOf(readManifest(folder)['exports'])[`./${part}`];
  const paths = typeof exported === 'string' ? [exported] : keys.map((key) => valuesOf(exported)[key]);
  const named = paths.flatMap((path) => (typeof path === 'string' && existsSync(join(folder, path)) ? [join(folder, path)] : []));
  const found = [part, ...usual].flatMap((path) => sourceFile(join(folder, path)) ?? []);
  return [...new Set([...named, ...found])];
}

/** Plugins that Strapi v4 has only if package.json names their package. Uploads and e-mails are part of every project. */
const optional: Readonly<Record<string, string>> = {
  graphql: '@strapi/plugin-graphql',
  i18n: '@strapi/plugin-i18n',
  'users-permissions': '@strapi/plugin-users-permissions',
};

/**
 * Returns the settings of a project with exactly the plugins that its dependencies or config/plugins name. A project that does
 * not depend on Strapi names no packages of Strapi: it has all but GraphQL, which answers without its controllers and policies.
 */
export function withInstalledPlugins(written: WrittenSections, dependencies: Values): WrittenSections {
  const { file, value } = written.plugins;
  if (!isRecord(value ?? {})) return written;
  const given = valuesOf(value);
  const isNamed = (name: string, packageName: string): boolean =>
    (given[name] ?? null) !== null ? isEnabled(given[name]) : packageName in dependencies;
  const isOfStrapi = '@strapi/strapi' in dependencies;
  const off = Object.entries(optional).flatMap(([name, packageName]) =>
    (isOfStrapi || name === 'graphql') && !isNamed(name, packageName) ? [name] : [],
  );
  const on = Object.keys(pluginMeanings).filter((name) => name in dependencies && !(name in given));
  const added = Object.fromEntries([...off.map((name) => [name, false]), ...on.map((name) => [name, true])]) as Values; // by name
  const isDocumented = !isOfStrapi || isNamed('documentation', '@strapi/plugin-documentation');
  return {
    ...written,
    plugins: { file, value: { ...given, ...added } },
    ...(!isDocumented && { api: { ...written.api, value: withoutDocument(written.api.value) } }),
  };
}

/** Returns whether a plugin is on by its value in config/plugins: true, false or `{ enabled }`. */
const isEnabled = (value: unknown): boolean => value !== false && valuesOf(value)['enabled'] !== false;

/** Turns the OpenAPI document off, unless the configuration says whether it is served. */
const withoutDocument = (api: unknown): unknown => (isRecord(api ?? {}) ? { openapi: false, ...valuesOf(api) } : api);
