import type { OriginFunction } from '../../config/cors-origin.js';
import { ConfigError } from '../../config/setting.js';
import type { Config } from '../../config/config.js';
import type { CorsSettings } from '../../http/koa-packages.js';
import type { PathSettings } from '../../http/route.js';
import { isRecord, type Values } from '../../values.js';

/**
 * Returns the settings of the endpoint that `apolloServer.cors` and `apolloServer.bodyParserConfig` change, in the form of
 * @koa/cors and koa-bodyparser. Absent settings are those of the service. Throws a ConfigError for invalid sizes.
 */
export function graphqlPathSettings({ plugins, middlewares }: Config): PathSettings {
  const { config } = plugins.graphql;
  const cors = corsOf(config.apolloServer['cors'], middlewares.cors);
  const body = bodyOf(config.apolloServer['bodyParserConfig'], middlewares.body);
  return { ...(cors !== null && { cors }), ...(body !== null && { body }) };
}

/** Returns the CORS settings; null for `false`, the default, which applies those of the service. `true` allows all origins. */
function corsOf(given: unknown, service: Config['middlewares']['cors']): CorsSettings | null {
  if (given === true) return { ...service, origin: '*', credentials: false };
  if (!isRecord(given)) return null;
  const { credentials, maxAge } = given;
  return {
    origin: originOf(given),
    credentials: credentials === true,
    methods: listOf(given['allowMethods']) ?? service.methods,
    headers: listOf(given['allowHeaders']) ?? service.headers,
    expose: listOf(given['exposeHeaders']) ?? service.expose,
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

function bodyOf(given: unknown, service: Config['middlewares']['body']): Config['middlewares']['body'] | null {
  const limit = isRecord(given) ? given['jsonLimit'] : undefined;
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
