import { adminRoutes } from './admin/admin-routes.js';
import type { Config } from './config/config.js';
import type { GraphqlEndpoint } from './graphql/create-graphql.js';
import { fileRoutes } from './http/file-routes.js';
import { healthRoutes } from './http/health.js';
import type { AnyRoute } from './http/route.js';
import { docsRoutes, servesDocs } from './openapi/docs-routes.js';
import { openapiRoutes } from './openapi/openapi-routes.js';
import { restRoutes } from './rest/rest-routes.js';

/**
 * The route table: everything that the service answers, by the parts that are switched on. The first row whose path fits decides, so
 * that the content types, whose paths have parameters only, come last. `graphql`: null if it is switched off.
 */
export function serviceRoutes(config: Config, graphql: Pick<GraphqlEndpoint, 'routes'> | null): AnyRoute[] {
  const routes = [
    ...healthRoutes(),
    ...(graphql?.routes ?? []),
    ...(config.plugins.upload.enabled ? fileRoutes : []),
    ...(servesDocs(config) ? docsRoutes(config) : []),
    ...(config.admin.enabled ? adminRoutes : []),
    ...restRoutes(config),
  ];
  return config.api.openapi ? [...openapiRoutes(config, routes), ...routes] : routes;
}
