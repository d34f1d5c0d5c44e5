import { isRecord, type Values } from '../values.js';
import { pluginMeanings } from './strapi-keys.js';
import { valuesOf } from './translation.js';
import type { WrittenSections } from './translate-strapi.js';

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
export const isEnabled = (value: unknown): boolean => value !== false && valuesOf(value)['enabled'] !== false;

/** Turns the OpenAPI document off, unless the configuration says whether it is served. */
const withoutDocument = (api: unknown): unknown => (isRecord(api ?? {}) ? { openapi: false, ...valuesOf(api) } : api);
