import { isRecord } from '#base/values.js';
import type { Translation } from './translation.js';

/**
 * Origins that may read answers: `*`, one, a list, or a function that decides for each request. It gets the context of Koa, and
 * returns an origin, `*` for all, or an empty string for none.
 */
export type CorsOrigin = string | readonly string[] | ((ctx: { get(field: string): string }) => string | PromiseLike<string>);

export type OriginFunction = Extract<CorsOrigin, (...args: never[]) => unknown>;
type OriginContext = Parameters<OriginFunction>[0];

/** The origins of a setting, and the reason why some of it allows none. */
interface ReadOrigin {
  /** Undefined if the setting is absent. */
  readonly origin: readonly string[] | OriginFunction | undefined;
  readonly advice?: string;
}

const closed: ReadOrigin = {
  origin: [],
  advice:
    'the value of origin is neither a text, a list of texts nor a function, so that no other origin may read answers; correct it',
};

/**
 * Reads `origin` of the middleware strapi::cors: texts with commas, lists of texts, and functions that return either. What cannot
 * be read, such as the value of an unset variable, allows no origin.
 */
export function readOrigin(config: unknown): ReadOrigin {
  if (!isRecord(config) || !Object.hasOwn(config, 'origin')) return { origin: undefined };
  const { origin } = config;
  if (typeof origin === 'function') return { origin: listing(origin as (ctx: OriginContext) => unknown) }; // by convention
  const list = listOf(origin);
  const isKnown = list !== null && (typeof origin === 'string' || (origin as readonly unknown[]).every(isTextOrUnset));
  return isKnown ? { origin: list } : { ...closed, ...(list !== null && { origin: list }) };
}

/** Translates `middlewares.cors.origin`. An unset variable closes; other values are checked later. */
export const originSetting = (value: unknown): Translation => {
  const isUnset = value === undefined || value === null;
  const { origin, advice } = isUnset || typeof value === 'function' ? readOrigin({ origin: value }) : { origin: value };
  return { set: { 'middlewares.cors.origin': origin }, ...(isUnset && { advice }) };
};

/** Returns a function that calls that of a project. Its texts and lists name the origins that may read answers. */
const listing =
  (decide: (ctx: OriginContext) => unknown): OriginFunction =>
  async (ctx) => {
    const list = listOf(await decide(ctx)) ?? [];
    const requestOrigin = ctx.get('Origin');
    return list.includes('*') ? '*' : list.includes(requestOrigin) ? requestOrigin : '';
  };

/** Returns the texts of a text with commas, or of a list; null for other values. */
function listOf(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return value.split(',').map((one) => one.trim());
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;
}

const isTextOrUnset = (value: unknown): boolean => value === undefined || typeof value === 'string';
