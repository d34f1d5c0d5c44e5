import type { GraphQLFormattedError, ValidationRule } from 'graphql';
import { ConfigError } from '../../config/setting.js';
import type { Config } from '../../config/config.js';
import { isRecord } from '../../values.js';
import { type PageSettings, pageSettings } from '../selection/parse-list-arguments.js';

interface GraphqlLimits {
  readonly depth: number;
  readonly tokens: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Maximum number of operations in a batch; 0 refuses batches. */
  readonly batch: number;
}

/** The complete configuration of the endpoint. */
export interface GraphqlSettings {
  readonly endpoint: string;
  readonly shadowCrud: boolean;
  readonly nullableOutput: boolean;
  readonly connections: boolean;
  readonly pages: PageSettings;
  readonly limits: GraphqlLimits;
  readonly introspection: boolean;
  readonly playground: boolean;
  /** Form of a 401: as in REST, or as a GraphQL error. */
  readonly authErrors: 'rest' | 'graphql';
  /**
   * Required headers against cross-site request forgery, one of which a request without preflight must have; null if none is
   * required.
   */
  readonly preflightHeaders: readonly string[] | null;
  /** Whether answers contain the times of all resolvers. */
  readonly tracing: boolean;
  /** Whether unexpected errors show where they were thrown. */
  readonly stacktraces: boolean;
  readonly validationRules: readonly ValidationRule[];
  readonly formatError: FormatHook | null;
  /** Options of Strapi v4's server that have no effect here. */
  readonly unknownOptions: readonly string[];
}

/**
 * `apolloServer.formatError`. Its arguments are the error as it would be sent, with an additional `originalError`, and the thrown
 * error.
 */
export type FormatHook = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/**
 * Reads `plugins.graphql.config`. Playground and introspection are off by default in production, except in staging. Throws a
 * ConfigError for rules and hooks that are not functions.
 */
export function graphqlSettings(
  config: Config['plugins']['graphql']['config'],
  { environment, environmentName }: Pick<Config, 'environment' | 'environmentName'>,
): GraphqlSettings {
  const { apolloServer: server, limits } = config;
  const isExplorable = environment !== 'production' || environmentName === 'staging';
  return {
    endpoint: config.endpoint,
    shadowCrud: config.shadowCRUD,
    nullableOutput: config.nullableOutput,
    connections: config.connections,
    pages: pageSettings(config),
    limits: { ...limits, depth: config.depthLimit, batch: server['allowBatchedHttpRequests'] === false ? 0 : limits.batch },
    introspection: flag(server['introspection'], isExplorable),
    playground: isExplorable || config.playgroundAlways,
    authErrors: config.authErrors,
    preflightHeaders: preflightHeaders(server['csrfPrevention']),
    tracing: flag(server['tracing'], false),
    stacktraces: flag(server['debug'], environment === 'development'),
    validationRules: validationRules(server['validationRules']),
    formatError: formatHook(server['formatError']),
    unknownOptions: unknownOptions(server),
  };
}

const flag = (value: unknown, otherwise: boolean): boolean => (typeof value === 'boolean' ? value : otherwise);

/** Returns the headers of `csrfPrevention`; null if it is off. */
function preflightHeaders(given: unknown): readonly string[] | null {
  if (given !== true && !isRecord(given)) return null;
  const headers = given === true ? undefined : given['requestHeaders'];
  return Array.isArray(headers) ? headers.map(String) : ['x-apollo-operation-name', 'apollo-require-preflight'];
}

function validationRules(given: unknown): readonly ValidationRule[] {
  const rules: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
  if (rules.every((rule) => typeof rule === 'function')) return rules as readonly ValidationRule[]; // of that form by the documentation
  throw new ConfigError('plugins.graphql.config.apolloServer.validationRules is not a list of functions');
}

function formatHook(given: unknown): FormatHook | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'function') return given as FormatHook; // of that form by the documentation
  throw new ConfigError('plugins.graphql.config.apolloServer.formatError is not a function');
}

const unknownOptions = (server: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(server).flatMap(([name, value]) => {
    const inner = Object.hasOwn(knownOptions, name) ? knownOptions[name] : undefined;
    if (inner === undefined) return [name];
    if (inner === null || !isRecord(value)) return [];
    return Object.keys(value)
      .filter((key) => !inner.includes(key))
      .map((key) => `${name}.${key}`);
  });

/** Options that have an effect, with their keys if they are objects. graphql-paths.ts reads these keys. */
const knownOptions: Readonly<Record<string, readonly string[] | null>> = {
  allowBatchedHttpRequests: null,
  bodyParserConfig: ['jsonLimit'],
  cors: ['origin', 'credentials', 'allowMethods', 'allowHeaders', 'exposeHeaders', 'maxAge'],
  csrfPrevention: ['requestHeaders'],
  debug: null,
  formatError: null,
  introspection: null,
  tracing: null,
  validationRules: null,
};
