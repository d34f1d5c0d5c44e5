import { createHash } from 'node:crypto';
import type { Config } from '../config/config.js';
import type { Answer, DynamicRoute, OpenRoute, ProjectCode, Route, RouteCall } from '../http/route.js';
import { readOverview } from './overview.js';
import { renderPage, type PageLink } from './render-page.js';
import { style } from './style.js';

interface StartInput {
  readonly config: Config;
  readonly version: string;
  /** Returns the links to pages of the service. */
  readonly links: () => readonly PageLink[];
  /** The route of lists and single types. */
  readonly contentRoute: DynamicRoute;
  /** Code of a project; null if there is none. */
  readonly projectCode: ProjectCode | null;
}

/**
 * Returns the route of the start page at `/`. In production it is off by default, and shows only the name. In other environments
 * it shows content to requests from this machine, or to everybody if `api.open` is true.
 */
export function startRoutes(input: StartInput): (OpenRoute | Route)[] {
  const { api, environment } = input.config;
  if (!(api.startPage ?? environment !== 'production')) return [];
  if (environment === 'production')
    return [{ method: 'GET', path: '/', action: null, handle: () => ({ body: { name: 'Mangrove' } }) }];
  return [{ method: 'GET', path: '/', action: 'anybody', handle: (call) => answerStart(call, input) }];
}

/** Answers browsers with the page, and other clients with the addresses of pages as JSON. */
async function answerStart(call: RouteCall, input: StartInput): Promise<Answer> {
  const { config, version } = input;
  const links = input.links();
  const { request } = call;
  const address = config.server.url?.replace(/\/+$/, '') ?? request.address;
  if (!request.asksForPage) {
    const addresses = links.map(({ name, path }) => [name, `${address}${path}`]);
    return { headers: { Vary: 'Accept' }, body: { name: 'Mangrove', version, ...Object.fromEntries(addresses) } };
  }
  const isShown = config.api.open === true || request.isLocal;
  const overview = isShown ? await readOverview(call, input) : null;
  return { headers, body: renderPage({ version, environment: config.environment, links, address, overview }) };
}

/** The content security policy of the page, which loads no files and runs no scripts. The hash allows its stylesheet. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Cache-Control': 'no-store',
  Vary: 'Accept',
};
