import type { GraphQLFormattedError, ValidationRule } from 'graphql';
import type { OriginFunction } from '#settings/cors-origin.js';
import { ConfigError } from '#settings/setting.js';
import type { Config } from '#settings/config.js';
import type { CorsSettings } from '#http/koa-packages.js';
import type { PathSettings } from '#http/route.js';
import { isRecord, type Values } from '#base/values.js';
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
  readonly quantifiers: boolean;
  readonly subscriptions: boolean;
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
  /** Whether answers contain the times of all resolvers. Never in production, where the option has no effect, as in Strapi 4.26. */
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
  const isProduction = environment === 'production';
  const isExplorable = !isProduction || environmentName === 'staging';
  return {
    endpoint: config.endpoint,
    shadowCrud: config.shadowCRUD,
    nullableOutput: config.nullableOutput,
    connections: config.connections,
    quantifiers: config.quantifiers,
    subscriptions: config.subscriptions,
    pages: pageSettings(config),
    limits: { ...limits, depth: config.depthLimit, batch: server['allowBatchedHttpRequests'] === false ? 0 : limits.batch },
    introspection: flag(server['introspection'], isExplorable),
    playground: isExplorable || config.playgroundAlways,
    authErrors: config.authErrors,
    preflightHeaders: preflightHeaders(server['csrfPrevention']),
    tracing: server['tracing'] === true && !isProduction,
    stacktraces: flag(server['debug'], environment === 'development'),
    validationRules: validationRules(server['validationRules']),
    formatError: formatHook(server['formatError']),
    unknownOptions: [...unknownOptions(server), ...(isProduction && server['tracing'] === true ? ['tracing'] : [])],
  };
}

const flag = (value: unknown, otherwise: boolean): boolean => (typeof value === 'boolean' ? value : otherwise);

/** Returns the headers of `csrfPrevention`; null if it is off. */
function preflightHeaders(value: unknown): readonly string[] | null {
  if (value !== true && !isRecord(value)) return null;
  const headers = value === true ? undefined : value['requestHeaders'];
  return Array.isArray(headers) ? headers.map(String) : ['x-apollo-operation-name', 'apollo-require-preflight'];
}

function validationRules(value: unknown): readonly ValidationRule[] {
  const rules: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  if (rules.every((rule) => typeof rule === 'function')) return rules as readonly ValidationRule[]; // of that form by the documentation
  throw new ConfigError('plugins.graphql.config.apolloServer.validationRules is not a list of functions');
}

function formatHook(value: unknown): FormatHook | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'function') return value as FormatHook; // of that form by the documentation
  throw new ConfigError('plugins.graphql.config.apolloServer.formatError is not a function');
}

const unknownOptions = (server: Values): string[] =>
  Object.entries(server).flatMap(([name, value]) => {
    const inner = Object.hasOwn(knownOptions, name) ? knownOptions[name] : undefined;
    if (inner === undefined) return [name];
    if (inner === null || !isRecord(value)) return [];
    return Object.keys(value)
      .filter((key) => !inner.includes(key))
      .map((key) => `${name}.${key}`);
  });

/** Options that have an effect, with their keys if they are objects. */
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

/**
 * Returns the settings of the endpoint that `apolloServer.cors` and `apolloServer.bodyParserConfig` change, in the form of
 * @koa/cors and koa-bodyparser. Absent settings are those of the service. Throws a ConfigError for invalid sizes.
 */
export function graphqlPathSettings({ plugins, middlewares }: Config): PathSettings {
  const { config } = plugins.graphql;
  const cors = corsOf(config.apolloServer['cors'], middlewares.cors);
  const body = bodyOf(config.apolloServer['bodyParserConfig'], middlewares.body);
  const live = config.subscriptions ? ({ mayLast: true, upgrades: true } as const) : {};
  return { ...(cors !== null && { cors }), ...(body !== null && { body }), ...live };
}

/** Returns the CORS settings; null for `false`, the default, which applies those of the service. `true` allows all origins. */
function corsOf(value: unknown, service: Config['middlewares']['cors']): CorsSettings | null {
  if (value === true) return { ...service, origin: '*', credentials: false };
  if (!isRecord(value)) return null;
  const { credentials, maxAge } = value;
  return {
    origin: originOf(value),
    credentials: credentials === true,
    methods: listOf(value['allowMethods']) ?? service.methods,
    headers: listOf(value['allowHeaders']) ?? service.headers,
    expose: listOf(value['exposeHeaders']) ?? service.expose,
    maxAge: maxAge === undefined ? service.maxAge : wholeNumber('cors.maxAge', maxAge),
  };
}

/** Returns the origins of `cors`. Without the key they are all; a value that cannot be read, such as an unset variable, is none. */
function originOf(cors: Values): CorsSettings['origin'] {
  const { origin } = cors;
  if (typeof origin === 'function') return origin as OriginFunction; // as @koa/cors calls it
  return listOf(origin) ?? ('origin' in cors ? [] : '*');
}

/** Returns a list of strings, which may be given as a comma-separated string; null if it is neither. */
function listOf(value: unknown): string[] | null {
  if (typeof value === 'string') return value.split(',').map((item) => item.trim());
  return Array.isArray(value) ? value.map(String) : null;
}

function bodyOf(value: unknown, service: Config['middlewares']['body']): Config['middlewares']['body'] | null {
  const limit = isRecord(value) ? value['jsonLimit'] : undefined;
  return limit === undefined ? null : { ...service, jsonLimit: readSize('bodyParserConfig.jsonLimit', limit) };
}

const units: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Returns a size in bytes, from a number or a string such as `5mb`. */
function readSize(name: string, value: unknown): number {
  const [, figure = '', unit = 'b'] = /^(\d+(?:\.\d+)?) *([kmg]?b)?$/i.exec(String(value).trim()) ?? [];
  return wholeNumber(name, figure === '' ? value : Math.floor(Number(figure) * (units[unit.toLowerCase()] ?? 1)));
}

function wholeNumber(name: string, value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new ConfigError(`plugins.graphql.config.apolloServer.${name} is ${JSON.stringify(value)}, which is not a whole number`);
}
