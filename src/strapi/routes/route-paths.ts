import type { RouteParams } from '../../http/route-request.js';

/** A compiled path of a route. */
export interface PathMatcher {
  /** Returns the decoded parameters of a path that matches; null if it does not match. */
  match(path: string): RouteParams | null;
  /** First two parts of matching paths, such as `/api/pages`; null if they contain parameters. */
  readonly start: string | null;
  /** The path with parameters in the form of the route table: `/pages/:slug`. It includes optional ones. */
  readonly shown: string;
}

interface Token {
  readonly source: string;
  readonly name: string | null;
  readonly shown: string;
}

/**
 * Compiles a path in the syntax of @koa/router 12, which Strapi v4 uses: `/pages/:slug`, `/:id(\\d+)`, `/:name?`, `/:path*`,
 * `/(.*)`. Throws an Error if it is invalid.
 */
export function compilePath(path: string): PathMatcher {
  if (!path.startsWith('/')) throw new Error(`the path "${path}" must begin with a slash`);
  const tokens = [...path.matchAll(/(\/?):(\w+)(\([^)]*\))?([?*+])?|(\/?)\(([^)]*)\)([?*+])?|((?:(?!\/?[:(])[^])+)/g)].map(
    readToken,
  );
  const names = tokens.flatMap(({ name }) => name ?? []);
  const pattern = new RegExp(`^${tokens.map(({ source }) => source).join('')}/?$`, 'i');
  return {
    start: startOf(path),
    shown: tokens.map(({ shown }) => shown).join(''),
    match: (asked) => {
      const found = pattern.exec(asked);
      if (found === null) return null;
      const values = names.flatMap((name, index) => {
        const value = found[index + 1];
        return value === undefined ? [] : [[name, decode(value)] as const];
      });
      return Object.fromEntries(values);
    },
  };
}

function readToken(found: RegExpMatchArray, index: number): Token {
  const [, slash = '', name, rule, modifier = '', bareSlash = '', bareRule, bareModifier = '', text = ''] = found;
  if (name !== undefined)
    return { name, source: capture(slash, rule?.slice(1, -1) ?? '[^/]+?', modifier), shown: `${slash}:${name}` };
  if (bareRule !== undefined)
    return {
      name: String(index),
      source: capture(bareSlash, bareRule, bareModifier),
      shown: `${bareSlash}:part${String(index)}`,
    };
  return { name: null, source: text.replace(/[\\^$.*+?[\]{}|]/g, '\\$&'), shown: text };
}

function capture(slash: string, rule: string, modifier: string): string {
  switch (modifier) {
    case '?':
      return `(?:${slash}(${rule}))?`;
    case '*':
    case '+':
      return `(?:${slash}((?:${rule})(?:${slash}(?:${rule}))*))${modifier === '*' ? '?' : ''}`;
    default:
      return `${slash}(${rule})`;
  }
}

/** Returns the decoded value, or the raw value if it cannot be decoded. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Returns the first two parts of a path, by which rows are indexed; null if they contain parameters. */
export function startOf(path: string): string | null {
  const [, first = '', second = ''] = path.toLowerCase().split('/');
  const start = second === '' ? `/${first}` : `/${first}/${second}`;
  return /[:(*?+]/.test(start) ? null : start;
}
