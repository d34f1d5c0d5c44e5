import { refusedBy } from '#base/limits/exceeded.js';
import type Koa from 'koa';
import type { Request } from 'koa';
import qs, { type defaultDecoder } from 'qs';
import { invalidParameter, validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';

/** The parameters of a query string: as text, or as the object that code of a project has read or set. */
export type QueryParameters = string | Values;

/** Settings of `api.limits` that apply to query strings. */
export interface QueryStringLimits {
  readonly parameters: number;
  readonly queryDepth: number;
  readonly listValues: number;
}

/** Returns the query parameters of a request as an object. Throws a ValidationError as `parseQueryString` does. */
export const readParameters = (query: QueryParameters, limits: QueryStringLimits): Values =>
  typeof query === 'string' ? parseQueryString(query, limits) : query;

/** Throws a ValidationError for the first parameter that is not one of these, or has brackets although it is not one of `nested`. */
export function refuseOthers(query: QueryParameters, names: readonly string[], nested = names): void {
  const others = parameterNames(query).map(({ name, first }) => {
    if (!names.includes(first)) return first;
    return first === name || nested.includes(first) ? null : name;
  });
  const other = others.find((name) => name !== null);
  if (other === undefined) return;
  throw validationError(`Invalid parameter ${other}: expected ${names.length > 0 ? `one of ${names.join(', ')}` : 'none'}`);
}

/** Returns the decoded names of parameters, and each without its brackets. */
function parameterNames(query: QueryParameters): readonly { readonly name: string; readonly first: string }[] {
  const names = typeof query === 'string' ? [...new URLSearchParams(query).keys()] : Object.keys(query);
  return names.map((name) => ({ name, first: name.split('[', 1)[0] ?? '' }));
}

/** Parameters that some routes know. A route that does not must not ignore them, because its answer would look as if it had read them. */
const reserved = ['aggregate', 'groupBy', 'having', 'facets', 'previewToken', 'fallbackLocale', 'sourceMap'];

/**
 * Query strings that may have a reserved parameter: the name of one, or an escaped name. Only these are decoded, because most have none.
 */
const mayBeReserved = new RegExp(`(?:^\\??|&)(?:(?:${reserved.join('|')})(?:[[=&%]|$)|[^[=&%]*%(?!5b))`, 'i');

/** Throws a ValidationError for the first parameter that the routes of the service reserve, apart from those that a route knows. */
export function refuseReservedParameters(query: QueryParameters, names: readonly string[] = []): void {
  if (typeof query === 'string' && !mayBeReserved.test(query)) return;
  const other = parameterNames(query).find(({ first }) => !names.includes(first) && reserved.includes(first));
  if (other !== undefined) throw validationError(`Invalid parameter ${other.first}: this request does not support it`);
}

/**
 * Decodes a query string by the rules of Strapi v4. Throws a ValidationError for strings that Strapi v4 would flatten or
 * truncate: too many or too deep keys, long lists, and the key `__proto__`.
 */
export function parseQueryString(text: string, limits: QueryStringLimits): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  try {
    return qs.parse(text, {
      depth: limits.queryDepth,
      strictDepth: true,
      arrayLimit: limits.listValues,
      parameterLimit: limits.parameters,
      throwOnLimitExceeded: true,
      strictNullHandling: true,
      // `populate[a][fields]=b&populate=a` is a list of both; otherwise the last one would replace the first
      strictMerge: true,
      plainObjects: true,
      ignoreQueryPrefix: true,
      decoder: decodePart,
    });
  } catch (error) {
    if (error instanceof RangeError) throw refusedBy(limitIn(error.message), `Invalid query string: ${error.message}`);
    throw error;
  }
}

/** Returns the setting of the limit that a message of qs is about. */
function limitIn(message: string): string {
  if (/depth/i.test(message)) return 'api.limits.queryDepth';
  return /parameter/i.test(message) ? 'api.limits.parameters' : 'api.limits.listValues';
}

/**
 * Decodes a key or value. `[[0]]` in a key is `[0]`, as for Strapi v4, because the panel sends lists so. Throws a ValidationError for the
 * key `__proto__`, because qs drops it silently and a filter must never be lost.
 */
function decodePart(text: string, decode: defaultDecoder, charset: string, kind: 'key' | 'value'): string {
  const decoded = decode(text, undefined, charset);
  if (kind === 'value') return decoded;
  if (decoded.split(/[[\]]/).includes('__proto__')) throw invalidParameter('__proto__');
  return decoded.replaceAll(/\[(\[[^[\]]*\])\]/g, '$1');
}

/** The query of a request as code has read or set it. */
interface ReadQuery {
  /** The query string that the object belongs to. Code that changes the query string makes the object invalid. */
  readonly querystring: string;
  readonly query: Values;
}

const queries = new WeakMap<Request, ReadQuery>();

/**
 * Makes `ctx.query` an object of filters, sort and populate, as in Strapi v4. Code may change it in place, and may set another one.
 * `parse` decodes a query string, and may throw a ValidationError.
 */
export function extendQuery(app: Koa, parse: (querystring: string) => Values): void {
  Object.defineProperty(app.request, 'query', {
    get(this: Request): Values {
      const readQueryString = readQuery(this);
      if (readQueryString !== null) return readQueryString;
      const query = parse(this.querystring);
      queries.set(this, { querystring: this.querystring, query });
      return query;
    },
    set(this: Request, query: Values) {
      this.querystring = qs.stringify(query);
      // kept as well, because an empty list of `$in` has no place in a query string
      queries.set(this, { querystring: this.querystring, query });
    },
  });
}

/** Returns the query of a request as code has read or set it; null if no code has. */
export function readQuery(request: Request): Values | null {
  const cached = queries.get(request);
  return cached !== undefined && cached.querystring === request.querystring ? cached.query : null;
}
