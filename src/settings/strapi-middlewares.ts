import { readOrigin } from './cors-origin.js';
import { unreadOptions } from './middleware-options.js';
import { translationOf, valuesOf, type Meaning, type Translation } from './translation.js';
import { mapValues, type Values } from '#base/values.js';
import { unquotedSource } from './server-settings.js';

/** Middlewares of Strapi that Mangrove replaces or does not need. */
const needless = ['errors', 'favicon', 'poweredBy', 'query', 'responseTime', 'responses', 'session'];

/** The meanings of the middlewares of Strapi by name. */
const known: Readonly<Record<string, Meaning>> = {
  ...Object.fromEntries(needless.map((name) => [`strapi::${name}`, null])),
  'strapi::body': bodySettings,
  'strapi::compression': (config) => ({
    set: { 'middlewares.compress.enabled': true, 'middlewares.compress.threshold': parseBytes(valuesOf(config)['threshold']) },
  }),
  'strapi::cors': corsSettings,
  'strapi::ip': 'let the proxy in front filter addresses',
  'strapi::logger': (config) => ({ set: { 'middlewares.logger.level': levelOf(valuesOf(config)['level']) } }),
  'strapi::public': (config) => ({ set: { 'api.startPage': valuesOf(config)['defaultIndex'] === false ? false : undefined } }),
  'strapi::security': securitySettings,
};

/** Returns the translation of an item of Strapi's list of middlewares: a name, or `{ name, resolve, config }`. */
export function translateMiddleware(item: unknown): Translation & { readonly name: string } {
  const { name, resolve, config } =
    typeof item === 'string' ? { name: item, resolve: undefined, config: undefined } : valuesOf(item);
  const shown = String(name ?? resolve ?? JSON.stringify(item));
  const other = shown.startsWith('strapi::') ? 'Mangrove has no such middleware' : null;
  const meaning = Object.hasOwn(known, shown) ? known[shown] : undefined;
  const { set = {}, advice } = translationOf(meaning === undefined ? other : meaning, config);
  const all = [advice, unreadOptions(shown, config)].filter((text) => text !== undefined);
  return { name: shown, set, advice: all.length === 0 ? undefined : all.join('; ') };
}

/** Maximum size of a JSON body in bytes: that of a MongoDB document. */
const largestJson = 16_777_216;

/** Maximum size of a form or a text in bytes, by default. */
const usualForm = 57_344;

function bodySettings(config: unknown): Translation {
  const { jsonLimit, formLimit, textLimit, formidable, includeUnparsed } = valuesOf(config);
  const json = parseBytes(jsonLimit);
  const [form, text = 0] = [parseBytes(formLimit), parseBytes(textLimit)];
  return {
    set: {
      'middlewares.body.jsonLimit': json === undefined ? undefined : Math.min(json, largestJson),
      'middlewares.body.formLimit': text > (form ?? usualForm) ? text : form, // that of texts too
      'middlewares.body.includeUnparsed': includeUnparsed === true ? true : undefined,
      'plugins.upload.config.sizeLimit': parseBytes(valuesOf(formidable)['maxFileSize']),
    },
    advice: json !== undefined && json > largestJson ? 'jsonLimit is 16 MB at most' : undefined,
  };
}

const units: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Converts a size such as `256mb` to bytes. */
function parseBytes(size: unknown): number | undefined {
  if (typeof size === 'number') return size;
  const [, digits, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(String(size ?? '').trim()) ?? [];
  return digits === undefined ? undefined : Math.floor(Number(digits) * (units[unit.toLowerCase()] ?? 1));
}

/** Translates the settings of CORS. Strapi lets all origins send cookies; Mangrove requires a list of origins or a function for that. */
function corsSettings(config: unknown): Translation {
  const { enabled, credentials, methods, headers, expose, maxAge } = valuesOf(config);
  const { origin = ['*'], advice } = readOrigin(config);
  const isOpen = typeof origin !== 'function' && origin.includes('*');
  const list = (value: unknown): unknown => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value);
  return {
    set: {
      'middlewares.cors.enabled': enabled,
      'middlewares.cors.origin': isOpen ? '*' : origin,
      'middlewares.cors.credentials': isOpen ? undefined : credentials,
      'middlewares.cors.methods': list(methods),
      'middlewares.cors.headers': list(headers),
      'middlewares.cors.expose': list(expose),
      'middlewares.cors.maxAge': maxAge,
    },
    advice: advice ?? (credentials === true && isOpen ? 'credentials need a list of origins; they stay off for *' : undefined),
  };
}

const texts = (values: readonly unknown[]): string[] => values.filter((value) => typeof value === 'string');

function securitySettings(config: unknown): Translation {
  const { contentSecurityPolicy, hsts, frameguard } = valuesOf(config);
  const { directives } = valuesOf(contentSecurityPolicy);
  const policy = directives === undefined ? undefined : policyOf(valuesOf(directives));
  const unquoted = Object.values(policy ?? {}).flatMap((sources) => (sources ?? []).filter(isUnquoted));
  const action = String(valuesOf(frameguard)['action'] ?? '').toUpperCase();
  return {
    set: {
      'middlewares.security.contentSecurityPolicy': policy && mapValues(policy, (sources) => sources && sources.map(quoted)),
      'middlewares.security.hstsMaxAge': hsts === false ? 0 : valuesOf(hsts)['maxAge'],
      'middlewares.security.frame': action === '' ? undefined : action,
    },
    advice:
      contentSecurityPolicy === false || frameguard === false
        ? 'its headers are always sent; widen their directives instead'
        : unquoted.length > 0
          ? `contentSecurityPolicy: write ${[...new Set(unquoted)].map(quoted).join(', ')} with these quotes`
          : undefined,
  };
}

/**
 * Returns directives by their names in the header. Omits sources that are not strings, such as the value of an unset variable.
 */
const policyOf = (directives: Values): Readonly<Record<string, readonly string[] | null>> =>
  Object.fromEntries(
    Object.entries(directives).map(([name, sources]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      sources === null || sources === false ? null : texts([sources].flat()),
    ]),
  );

/** Returns whether a source is a keyword, a nonce or a hash without its quotes. */
const isUnquoted = (source: string): boolean => unquotedSource.test(source);

const quoted = (source: string): string => (isUnquoted(source) ? `'${source}'` : source);

/** Log levels of winston that pino does not have, with their replacements. */
const levels: Readonly<Record<string, string>> = { http: 'info', verbose: 'debug', silly: 'trace' };

const levelOf = (level: unknown): unknown => (typeof level === 'string' && Object.hasOwn(levels, level) ? levels[level] : level);
