import type { Feature } from '../http/feature.js';

/** The OpenAPI document, and TypeScript declarations of the content types. */
export const openapi: Feature = {
  name: 'openapi',
  isEnabled: ({ api }) => api.openapi,
  routes: async (parts) => (await import('./openapi-routes.js')).openapiRoutes(parts),
};

/** The documentation page, which shows the OpenAPI document. By default it is off in production. */
export const docs: Feature = {
  name: 'docs',
  isEnabled: ({ api, environment }) => api.openapi && (api.docs ?? environment !== 'production'),
  routes: async ({ config }) => (await import('./docs-routes.js')).docsRoutes(config),
};
