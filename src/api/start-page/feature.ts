import type { Feature, RouteParts } from '#http/feature.js';
import type { Answer, OpenRoute, Route, RouteCall } from '#http/route.js';
import { packageVersion as version } from '#base/package-root.js';
import { readOverview } from './overview.js';
import { renderPage } from './render-page.js';

/** The page at `/`. By default it is off in production. */
export const startPage: Feature = {
  name: 'start-page',
  isEnabled: ({ api, environment }) => api.startPage ?? environment !== 'production',
  routes: startRoutes,
};

/**
 * Returns the route of the start page at `/`. In production it shows only the name. In other environments it shows content to
 * requests from this machine, or to everybody if `api.open` is true.
 */
function startRoutes(parts: RouteParts): (OpenRoute | Route)[] {
  if (parts.config.environment === 'production')
    return [{ method: 'GET', path: '/', action: null, handle: () => ({ body: { name: 'Mangrove' } }) }];
  return [{ method: 'GET', path: '/', action: 'anybody', handle: (call) => answerStart(call, parts) }];
}

/** Answers browsers with the page, and other clients with the addresses of pages as JSON. */
async function answerStart(call: RouteCall, parts: RouteParts): Promise<Answer> {
  const { config } = parts;
  const links = parts.table().flatMap((route) => ('page' in route && route.page ? [{ path: route.path, ...route.page }] : []));
  const { request } = call;
  const address = config.server.url?.replace(/\/+$/, '') ?? request.address;
  if (!request.asksForPage) {
    const addresses = links.map(({ name, path }) => [name, `${address}${path}`]);
    return { headers: { Vary: 'Accept' }, body: { name: 'Mangrove', version, ...Object.fromEntries(addresses) } };
  }
  const isShown = config.api.open === true || request.isLocal;
  const overview = isShown ? await readOverview(call, parts) : null;
  const { headers, body } = renderPage({ version, environment: config.environment, links, address, overview });
  return { headers: { ...headers, Vary: 'Accept' }, body };
}
