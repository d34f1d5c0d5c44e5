import type { Feature } from '#http/feature.js';
import { docsRoutes } from './docs-routes.js';
import { openapiRoutes } from './openapi-routes.js';

/** The OpenAPI document, and TypeScript declarations of the content types. */
export const openapi: Feature = {
  name: 'openapi',
  isEnabled: ({ api }) => api.openapi,
  routes: openapiRoutes,
};

/** The documentation page, which shows the OpenAPI document. By default it is off in production. */
export const docs: Feature = {
  name: 'docs',
  isEnabled: ({ api, environment }) => api.openapi && (api.docs ?? environment !== 'production'),
  routes: ({ config }) => docsRoutes(config),
};
