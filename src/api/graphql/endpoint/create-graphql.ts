import path from 'node:path';
import type { Config, PluginsConfig } from '#settings/config.js';
import { messageOf } from '#base/errors.js';
import type { ContextRoute, OpenRoute } from '#http/route.js';
import type { Observer } from '#base/observe/observer.js';
import type { Registry } from '#model/schema/content-type.js';
import { type Artifacts, writeArtifacts } from './write-artifacts.js';
import { CurrentSchema } from './current-schema.js';
import { graphqlRoutes } from './graphql-routes.js';
import { graphqlPathSettings, graphqlSettings } from './graphql-settings.js';
import { buildSchema, type SchemaOptions } from './build-schema.js';
import { traceSchema } from './trace-schema.js';
import { defaultShadow, type Shadow } from '../types/shadow.js';

interface GraphqlServices {
  readonly config: Config;
  readonly observer: Observer;
  /**
   * Returns the options by which custom code changes the schema of a registry. If it throws, the previous schema stays in force.
   */
  readonly extension?: (registry: Registry) => Pick<SchemaOptions, 'shadow' | 'extend'>;
  /** Called with the reason if the schema of the newest registry cannot be built, and with null when that schema is in force. */
  readonly onSchema?: (problem: string | null) => void;
}

/** The endpoint, ready to be mounted. */
export interface GraphqlEndpoint {
  readonly routes: readonly (OpenRoute | ContextRoute)[];
  /** Builds the schema of a registry in slices and puts it in force. Requests wait for it. See `CurrentSchema`. */
  readonly replaceRegistry: (registry: Registry) => Promise<void>;
}

/** Creates the GraphQL front end: settings, schema, transport, playground. */
export function createGraphql(services: GraphqlServices): GraphqlEndpoint {
  const { config, observer, extension = () => ({}), onSchema = () => undefined } = services;
  const settings = graphqlSettings(config.plugins.graphql.config, config);
  if (settings.unknownOptions.length > 0)
    observer.observe({
      kind: 'warned',
      topic: 'graphql',
      text: 'graphql.config.apolloServer has options without effect',
      about: { options: settings.unknownOptions },
    });
  const artifacts = artifactsOf(config);
  const plugins = pluginsOf(config);
  const current = new CurrentSchema(
    async (registry, previous) => {
      const { shadowCrud, nullableOutput, connections, quantifiers, subscriptions } = settings;
      const shape = { shadowCrud, nullableOutput, connections, quantifiers, subscriptions };
      const options: SchemaOptions = { ...plugins, ...extension(registry), ...shape, previous };
      const built = await buildSchema(registry, { ...options, shadow: withoutPlugins(config.plugins, options.shadow) });
      onSchema(null);
      return settings.tracing ? traceSchema(built) : built;
    },
    (err, registry) => {
      onSchema(messageOf(err));
      reportFailure(err, registry, observer);
    },
  );
  const routes = graphqlRoutes({ settings, pathSettings: graphqlPathSettings(config), schema: current, observer });
  const replaceRegistry = async (registry: Registry): Promise<void> => {
    // An extension may fail for the new models. So its schema is built immediately, to log the error now.
    if (artifacts === null && !('extend' in extension(registry))) return current.replaceWhenRead(registry);
    await current.replace(registry);
    if (artifacts !== null) await tryArtifacts(current, artifacts, observer);
  };
  return { routes, replaceRegistry };
}

/** Returns the options for enabled plugins. Mutations of other plugins are omitted from the schema. */
function pluginsOf({ plugins: { 'users-permissions': users, upload } }: Config): Pick<SchemaOptions, 'accounts' | 'upload'> {
  const accounts = users.enabled && { accounts: { refreshTokens: users.config.refreshTokens.enabled } };
  return { ...accounts, upload: upload.enabled };
}

/** Writes the schema files after the schema is in force. Errors are only logged. */
async function tryArtifacts(current: CurrentSchema, artifacts: Artifacts, observer: Observer): Promise<void> {
  try {
    const { schema } = await current.read();
    await writeArtifacts(schema, artifacts);
  } catch (err) {
    observer.observe({ kind: 'failed', work: 'graphql files', err });
  }
}

/**
 * Reports that a schema cannot be built. Before the first content type is stored this is not an error, because extensions may refer
 * to types that do not exist yet.
 */
function reportFailure(err: unknown, { byPluralName, bySingularName }: Registry, observer: Observer): void {
  if (byPluralName.size + bySingularName.size === 0 && err instanceof Error)
    observer.observe({ kind: 'schema postponed', reason: err.message });
  else observer.observe({ kind: 'failed', work: 'graphql schema', err });
}

/** Returns the files to write; null if there are none, which is the default except in development. */
function artifactsOf({ directory, environment, plugins }: Config): Artifacts | null {
  const { generateArtifacts, artifacts } = plugins.graphql.config;
  if (!(generateArtifacts ?? environment === 'development')) return null;
  const absolute = (file: string | boolean, usual: string): string | false =>
    file === false ? false : path.resolve(directory, file === true ? usual : file);
  return { schema: absolute(artifacts.schema, 'schema.graphql'), typegen: absolute(artifacts.typegen, 'schema.types.ts') };
}

/** Plugins that can be disabled, by the prefix of their uids. */
const plugins = {
  'plugin::users-permissions.': 'users-permissions',
  'plugin::i18n.': 'i18n',
  'plugin::upload.': 'upload',
} as const;

/** Returns a shadow that also hides the types of disabled plugins, and fields of these types. */
export function withoutPlugins(config: PluginsConfig, shadow: Shadow = defaultShadow): Shadow {
  const off = Object.entries(plugins).flatMap(([prefix, name]) => (config[name].enabled ? [] : [prefix]));
  if (off.length === 0) return shadow;
  return { ...shadow, hasType: (uid) => !off.some((prefix) => uid.startsWith(prefix)) && shadow.hasType(uid) };
}
