import { commandLine } from './command-line.js';
import { adminRoutes } from './admin/admin-routes.js';
import type { Config } from './config/config.js';
import type { GraphqlEndpoint } from './graphql/endpoint/create-graphql.js';
import { fileRoutes } from './http/file-routes.js';
import { healthRoutes } from './http/health.js';
import type { AnyRoute, FixedRoute, ProjectCode } from './http/route.js';
import { docsRoutes, servesDocs } from './openapi/docs-routes.js';
import { openapiRoutes } from './openapi/openapi-routes.js';
import { packageVersion, projectVersion } from './package-root.js';
import { failsHealth } from './panel/builder/fail-health.js';
import { pageRoutes } from './panel/front-end/page-routes.js';
import { hasPanel, servesPanel } from './panel/front-end/panel-files.js';
import { panelRoutes } from './panel/panel-routes.js';
import { contentRoutes } from './rest/content-routes.js';
import { restRoutes } from './rest/rest-routes.js';
import type { PageLink } from './start-page/render-page.js';
import { startRoutes } from './start-page/start-routes.js';

/**
 * Returns the route table: all routes of the enabled parts. The first route whose path matches applies. Content types come last,
 * because their paths consist only of parameters. `graphql` is null if it is disabled. The pages about the API also describe the
 * routes of the project.
 */
export function serviceRoutes(
  config: Config,
  graphql: Pick<GraphqlEndpoint, 'routes'> | null,
  projectCode: ProjectCode | null = null,
): AnyRoute[] {
  const content = contentRoutes(config);
  const [rest, pages] = [restRoutes(config, content), pageRoutes(config)];
  const routes = [
    ...healthRoutes(undefined, config.admin.enabled ? failsHealth : undefined),
    ...startRoutes({ config, version: packageVersion, links: () => pageLinks(config), contentRoute: content.root, projectCode }),
    ...(graphql?.routes ?? []),
    ...(config.plugins.upload.enabled ? fileRoutes : []),
    ...(servesDocs(config) ? docsRoutes(config) : []),
    ...(config.admin.enabled ? [...adminRoutes, ...panelRoutes.filter((route) => !isAmong(route, rest))] : []),
    ...(config.api.rest.prefix === '' ? [...pages, ...rest] : [...rest, ...pages]), // lists of an API without a prefix are anywhere
  ];
  const version = projectVersion(config.directory);
  return config.api.openapi ? [...openapiRoutes({ config, others: routes, projectCode, version }), ...routes] : routes;
}

const panelNote = (config: Config): string =>
  `the panel to edit content${hasPanel(config) ? '' : ', which is built once: ' + commandLine('panel build')}`;

/**
 * Returns whether other routes have the path and method of a route. Those of the API take precedence over those of the panel, which
 * have the same paths if the API has no prefix.
 */
const isAmong = ({ method, path }: Pick<FixedRoute, 'method' | 'path'>, others: readonly AnyRoute[]): boolean =>
  others.some((other) => 'method' in other && other.method === method && other.path === path);

/** Returns the links of the start page. */
function pageLinks(config: Config): PageLink[] {
  const { graphql } = config.plugins;
  const { prefix } = config.api.rest;
  return [
    ...(servesPanel(config) ? [{ path: config.admin.url, name: 'Admin', about: panelNote(config) }] : []),
    ...(graphql.enabled ? [{ path: graphql.config.endpoint, name: 'GraphQL', about: 'a playground with the schema' }] : []),
    ...(servesDocs(config) ? [{ path: '/docs', name: 'Documentation', about: 'the REST API, to read and to try' }] : []),
    ...(config.api.openapi ? [{ path: `${prefix}/openapi.json`, name: 'OpenAPI', about: 'the same for code generators' }] : []),
    { path: '/_health/ready', name: 'Health', about: 'whether requests can be answered' },
  ];
}
