import type { RouteParams } from '../http/route-request.js';

/** A path of a route, ready to be compared. */
export interface PathMatcher {
  /** Returns the parameters in a path that fits, decoded; null for other paths. */
  match(path: string): RouteParams | null;
  /** The first two parts of the paths that fit, such as `/api/pages`; null if they have parameters. */
  readonly start: string | null;
  /** The path with its parameters as the route table writes them: `/pages/:slug`. Optional ones are there. */
  readonly shown: string;
}

interface Token {
  readonly source: string;
  readonly name: string | null;
  readonly shown: string;
}

/**
 * Reads a path in the language of @koa/router 12, as Strapi v4 takes it: `/pages/:slug`, `/:id(\\d+)`, `/:name?`, `/:path*`, `/(.*)`.
 * Throws an Error for a path that is none.
 */
export function compilePath(path: string): PathMatcher {
  if (!path.startsWith('/')) throw new Error(`the path "${path}" must begin with a slash`);
  const tokens = [...path.matchAll(/(\/?):(\w+)(\([^)]*\))?([?*+])?|(\/?)\(([^)]*)\)([?*+])?|([^:(]+)/g)].map(readToken);
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

/** Returns the decoded value; the raw one if it cannot be decoded. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The first two parts of a path, by which rows are found; null if a path has parameters there. */
export function startOf(path: string): string | null {
  const [, first = '', second = ''] = path.toLowerCase().split('/');
  const start = second === '' ? `/${first}` : `/${first}/${second}`;
  return /[:(*?+]/.test(start) ? null : start;
}
