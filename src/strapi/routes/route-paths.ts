import { type Key, parse, tokensToRegexp } from 'strapi-path-to-regexp';
import type { RouteParams } from '#http/route-request.js';

/** A compiled path of a route. */
export interface PathMatcher {
  /** Returns the decoded parameters of a path that matches; null if it does not match. */
  match(path: string): RouteParams | null;
  /** The parts with which all matching paths begin, at most two, in lower case: `['api', 'pages']`. */
  readonly start: readonly string[];
  /** The path with parameters in the form of the route table: `/pages/:slug`. It includes optional ones. */
  readonly pattern: string;
}

type Token = ReturnType<typeof parse>[number];

/** Thrown for a path that no request has, because requests encode some of its characters. Strapi v4 takes it, and never answers there. */
export class UnreachablePathError extends Error {}

/**
 * Compiles a path in the syntax of path-to-regexp 6, which the router of Strapi v4 uses: `/pages/:slug`, `/:id(\\d+)`, `/:name?`,
 * `/:path*`, `/(.*)`. Throws an Error if it is invalid, and an UnreachablePathError if no request has such a path.
 */
export function compilePath(path: string): PathMatcher {
  if (!path.startsWith('/')) throw new Error(`the path "${path}" must begin with a slash`);
  const tokens = parse(path);
  const keys: Key[] = [];
  const pattern = tokensToRegexp(tokens, keys);
  const names = keys.map(({ name }) => String(name));
  refuseForeign(tokens);
  return {
    start: startOf(tokens),
    pattern: tokens.map(shownToken).join(''),
    match: (given) => {
      const match = pattern.exec(given);
      if (match === null) return null;
      const params: Record<string, string> = {};
      for (let index = 0; index < names.length; index++) {
        const value = match[index + 1];
        if (value !== undefined && value !== '') params[names[index] ?? ''] = decode(value);
      }
      return params;
    },
  };
}

/** Throws an Error if a text of a path has characters that requests encode, or that end their path. */
function refuseForeign(tokens: readonly Token[]): void {
  const text = tokens.filter((token) => typeof token === 'string').join('');
  const [foreign] = /[^\x21-\x7e]|[?#]/u.exec(text) ?? [];
  if (foreign !== undefined)
    throw new UnreachablePathError(
      `no request has this path, here as in Strapi v4: write ${JSON.stringify(foreign)} as ${encodeURIComponent(foreign)}`,
    );
}

const shownToken = (token: Token): string =>
  typeof token === 'string' ? token : `${token.prefix}${shownName(token)}${token.suffix}`;

const shownName = ({ name }: Key): string => (name === '' ? '' : `:${typeof name === 'number' ? `part${String(name)}` : name}`);

/** Returns the decoded value, or the raw value if it cannot be decoded. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function startOf([first, next]: readonly Token[]): readonly string[] {
  if (typeof first !== 'string') return [];
  const parts = partsOf(first);
  // a parameter may go on with the last part
  const isWhole = next === undefined || first.endsWith('/') || (typeof next === 'object' && next.prefix.startsWith('/'));
  return isWhole ? parts : parts.slice(0, first.split('/').length - 2);
}

/** Returns the first two parts of a path, by which routes are indexed. */
export const partsOf = (path: string): readonly string[] => {
  const [, first = '', second = ''] = path.toLowerCase().split('/', 3);
  return [first, second].filter((part) => part !== '');
};
