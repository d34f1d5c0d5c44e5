import type { Feature } from '#http/feature.js';
import type { RouteRequest } from '#http/route-request.js';
import type { RunningService } from '#http/running.js';
import { pageRoutes } from './front-end/page-routes.js';
import { panelRoutes } from './panel-paths.js';
import { statusRoutes } from './status/status-routes.js';

/** The admin panel of Strapi v4: its back end, the pages that an operator has built, and our own pages beside them. */
export const panel: Feature = {
  name: 'panel',
  isAdmin: true,
  isEnabled: (config) => config.admin.enabled,
  routes: ({ config }) => [...panelRoutes, ...statusRoutes(config), ...pageRoutes(config)],
};

/**
 * Returns whether the health route fails for a request. The panel waits after a change of a model until `HEAD /_health` has failed
 * and then works again, because Strapi v4 restarts. Here it fails once per session after each change, only for requests of the
 * panel. Nothing else notices.
 */
export async function failsHealth(request: RouteRequest, running: RunningService | null): Promise<boolean> {
  if (running === null || request.method !== 'HEAD' || !isOfPanel(request, running.config.admin.url)) return false;
  const { failsOnce } = await import('./builder/fail-health.js');
  return failsOnce(request, running);
}

/** Returns whether a page of the panel sent a request. */
function isOfPanel({ headers: { referer } }: RouteRequest, path: string): boolean {
  if (referer === undefined || !URL.canParse(referer)) return false;
  const { pathname } = new URL(referer);
  return pathname === path || pathname.startsWith(`${path}/`);
}
