import { adminRoutes } from './admin/admin-routes.js';
import type { Config } from './config/config.js';
import type { GraphqlEndpoint } from './graphql/endpoint/create-graphql.js';
import { fileRoutes } from './http/file-routes.js';
import { healthRoutes } from './http/health.js';
import type { AnyRoute, ProjectCode } from './http/route.js';
import { docsRoutes, servesDocs } from './openapi/docs-routes.js';
import { openapiRoutes } from './openapi/openapi-routes.js';
import { packageVersion } from './package-root.js';
import { contentRoutes } from './rest/content-routes.js';
import { restRoutes } from './rest/rest-routes.js';
import type { PageLink } from './start-page/render-page.js';
import { startRoutes } from './start-page/start-routes.js';

/**
 * Returns the route table: all routes of the parts that are switched on. The first row whose path fits decides, so that the
 * content types, whose paths have parameters only, come last. `graphql`: null if it is switched off. The pages about the API
 * describe the routes of the project as well.
 */
export function serviceRoutes(
  config: Config,
  graphql: Pick<GraphqlEndpoint, 'routes'> | null,
  projectCode: ProjectCode | null = null,
): AnyRoute[] {
  const content = contentRoutes(config);
  const routes = [
    ...healthRoutes(),
    ...startRoutes({ config, version: packageVersion, links: pageLinks(config), contentRoute: content.root, projectCode }),
    ...(graphql?.routes ?? []),
    ...(config.plugins.upload.enabled ? fileRoutes : []),
    ...(servesDocs(config) ? docsRoutes(config) : []),
    ...(config.admin.enabled ? adminRoutes : []),
    ...restRoutes(config, content),
  ];
  return config.api.openapi ? [...openapiRoutes(config, routes, projectCode), ...routes] : routes;
}

/** The pages of the service, as the start page names them. */
function pageLinks(config: Config): PageLink[] {
  const { graphql } = config.plugins;
  const { prefix } = config.api.rest;
  return [
    ...(graphql.enabled ? [{ path: graphql.config.endpoint, name: 'GraphQL', about: 'a playground with the schema' }] : []),
    ...(servesDocs(config) ? [{ path: '/docs', name: 'Documentation', about: 'the REST API, to read and to try' }] : []),
    ...(config.api.openapi ? [{ path: `${prefix}/openapi.json`, name: 'OpenAPI', about: 'the same for code generators' }] : []),
    { path: '/_health/ready', name: 'Health', about: 'whether requests can be answered' },
  ];
}
