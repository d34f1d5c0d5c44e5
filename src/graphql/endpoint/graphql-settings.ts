import type { GraphQLFormattedError, ValidationRule } from 'graphql';
import { ConfigError } from '../../config/setting.js';
import type { Config } from '../../config/config.js';
import { isRecord } from '../../values.js';
import type { PageSettings } from '../graphql-context.js';
import { pageSettings } from '../selection/parse-list-arguments.js';

/** Limits of one request. Each is configurable. */
interface GraphqlLimits {
  readonly depth: number;
  readonly tokens: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Operations of one batch; 0 refuses batches. */
  readonly batch: number;
}

/** The complete configuration of the endpoint. */
export interface GraphqlSettings {
  readonly endpoint: string;
  readonly shadowCrud: boolean;
  readonly nullableOutput: boolean;
  readonly pages: PageSettings;
  readonly limits: GraphqlLimits;
  readonly introspection: boolean;
  readonly playground: boolean;
  /** Form of a 401. */
  readonly authErrors: 'rest' | 'graphql';
  /** Headers of which a request that a page of another site could send must have one; null: none is required. */
  readonly preflightHeaders: readonly string[] | null;
  /** Adds the times of all resolvers to every answer. */
  readonly tracing: boolean;
  /** Shows where unexpected errors were thrown. */
  readonly stacktraces: boolean;
  readonly validationRules: readonly ValidationRule[];
  readonly formatError: FormatHook | null;
  /** Options of Strapi v4's server that have no effect here. */
  readonly unknownOptions: readonly string[];
}

/** `apolloServer.formatError`: gets an error as it would be sent, with `originalError` beside it, and the thrown one. */
export type FormatHook = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/**
 * Reads `plugins.graphql.config`. `environment` is NODE_ENV: only production hides the playground and introspection. Throws a
 * ConfigError for rules and hooks that are no functions.
 */
export function graphqlSettings(
  config: Config['plugins']['graphql']['config'],
  environment: string | undefined,
): GraphqlSettings {
  const { apolloServer: server, limits } = config;
  const production = environment === 'production';
  return {
    endpoint: config.endpoint,
    shadowCrud: config.shadowCRUD,
    nullableOutput: config.nullableOutput,
    pages: pageSettings(config),
    limits: { ...limits, depth: config.depthLimit, batch: server['allowBatchedHttpRequests'] === false ? 0 : limits.batch },
    introspection: flag(server['introspection'], !production),
    playground: !production || config.playgroundAlways,
    authErrors: config.authErrors,
    preflightHeaders: preflightHeaders(server['csrfPrevention']),
    tracing: flag(server['tracing'], false),
    stacktraces: flag(server['debug'], !production && environment !== 'test'),
    validationRules: validationRules(server['validationRules']),
    formatError: formatHook(server['formatError']),
    unknownOptions: unknownOptions(server),
  };
}

const flag = (value: unknown, otherwise: boolean): boolean => (typeof value === 'boolean' ? value : otherwise);

/** `csrfPrevention`: whether, or with which headers. */
function preflightHeaders(given: unknown): readonly string[] | null {
  if (given !== true && !isRecord(given)) return null;
  const headers = given === true ? undefined : given['requestHeaders'];
  return Array.isArray(headers) ? headers.map(String) : ['x-apollo-operation-name', 'apollo-require-preflight'];
}

function validationRules(given: unknown): readonly ValidationRule[] {
  const rules: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
  if (rules.every((rule) => typeof rule === 'function')) return rules as readonly ValidationRule[]; // as documented
  throw new ConfigError('plugins.graphql.config.apolloServer.validationRules is not a list of functions');
}

function formatHook(given: unknown): FormatHook | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'function') return given as FormatHook; // as documented
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

/** The options that have an effect, with their keys if they are objects; graphql-paths.ts reads those. */
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
