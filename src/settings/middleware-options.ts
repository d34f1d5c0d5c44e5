import { isDeepStrictEqual } from 'node:util';
import { valuesOf } from './translation.js';

/** What an option means: `true` if it is read, or else the values that ask for nothing else than what the service does. */
type Known = true | readonly unknown[] | Readonly<Record<string, unknown>>;

/** The options of the middlewares of Strapi v4 that need no advice, by middleware. Groups have their options by name. */
const options: Readonly<Record<string, Readonly<Record<string, Known>>>> = {
  'strapi::body': {
    ...{ jsonLimit: true, formLimit: true, textLimit: true, includeUnparsed: true, formidable: { maxFileSize: true } },
    ...{ multipart: [true], patchKoa: [true], patchNode: [false], json: [true], urlencoded: [true], text: [true] },
    ...{ encoding: ['utf-8', 'utf8'], jsonStrict: [true], strict: [true] },
  },
  'strapi::compression': { threshold: true, br: [true], gzip: [true] },
  'strapi::cors': {
    ...{ enabled: true, origin: true, credentials: true, methods: true, headers: true, expose: true, maxAge: true },
    ...{ keepHeaderOnError: [true], keepHeadersOnError: [true] },
  },
  'strapi::favicon': {},
  'strapi::logger': { level: true },
  'strapi::poweredBy': {},
  'strapi::public': { defaultIndex: true, path: ['./public', 'public'] },
  'strapi::query': { strictNullHandling: [true] },
  'strapi::responses': { handlers: true },
  'strapi::security': {
    contentSecurityPolicy: { useDefaults: [true], reportOnly: [false], directives: true },
    hsts: { maxAge: true, includeSubDomains: [true], preload: [false] },
    frameguard: { action: true },
    ...{ crossOriginEmbedderPolicy: [false], crossOriginOpenerPolicy: [false], crossOriginResourcePolicy: [false] },
    ...{ originAgentCluster: [false], xssFilter: [false], hidePoweredBy: [true], noSniff: [true], ieNoOpen: [true] },
    ...{ dnsPrefetchControl: [true], referrerPolicy: [true], permittedCrossDomainPolicies: [true] },
  },
};

/** What to do instead of an option, by its name. */
const instead: Readonly<Record<string, string>> = {
  poweredBy: 'the header X-Powered-By is not sent',
  arrayLimit: 'api.limits.listValues limits lists',
  depth: 'api.limits limits filters and populate',
};

/** Returns the advice about options of a middleware of Strapi that have no effect; undefined if there are none. */
export function unreadOptions(middleware: string, config: unknown): string | undefined {
  const known = Object.hasOwn(options, middleware) ? options[middleware] : undefined;
  const names = known === undefined ? [] : unreadIn(valuesOf(config), known, '');
  if (names.length === 0) return undefined;
  const others = names.flatMap((name) => (Object.hasOwn(instead, name) ? [instead[name]] : []));
  return [`${names.join(', ')} of its config ${names.length === 1 ? 'has' : 'have'} no effect`, ...others].join('; ');
}

const unreadIn = (values: object, known: Readonly<Record<string, unknown>>, prefix: string): readonly string[] =>
  Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const meaning = Object.hasOwn(known, name) ? known[name] : [];
    if (value === undefined || value === null || meaning === true) return [];
    if (Array.isArray(meaning)) return meaning.some((one) => isDeepStrictEqual(one, value)) ? [] : [`${prefix}${name}`];
    return unreadIn(valuesOf(value), valuesOf(meaning), `${prefix}${name}.`);
  });
