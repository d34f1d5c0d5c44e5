import { admin, webhooks, queryShapes } from '#admin/api/features.js';
import { backup } from '#operate/backup/feature.js';
import type { Feature } from '#http/feature.js';
import { healthRoutes } from '#http/health.js';
import { docs, openapi } from '#api/openapi/features.js';
import { aggregates } from '#api/rest/aggregate/feature.js';
import { mcp } from '#api/mcp/feature.js';
import { oauth } from '#api/mcp/oauth/feature.js';
import { metrics } from '#api/metrics/feature.js';
import { slowRequests } from '#api/metrics/slow-requests.js';
import { panel, failsHealth } from '#admin/feature.js';
import { preview } from '#admin/preview/feature.js';
import { releases } from '#admin/releases/feature.js';
import { signOn } from '#admin/sso/feature.js';
import { accounts, content, emails, locales, models, uploads } from '#api/rest/features.js';
import { push } from '#api/push/feature.js';
import { schedule } from '#api/schedule/feature.js';
import { search } from '#api/search/feature.js';
import { startPage } from '#api/start-page/feature.js';
import { sync } from '#api/sync/feature.js';
import { traces } from '#api/traces/feature.js';
import { trash } from '#api/trash/feature.js';
import { workflow } from '#api/workflow/feature.js';

/** Tells load balancers whether the service runs, and whether it is ready; and the panel that models have changed. */
const health: Feature = {
  name: 'health',
  routes: ({ config }) => healthRoutes(undefined, config.admin.enabled ? failsHealth : undefined),
};

/** The features of the service, except for GraphQL, whose endpoint also depends on code of the project. */
export const features: readonly Feature[] = [
  startPage,
  accounts,
  uploads,
  emails,
  locales,
  docs,
  openapi,
  admin,
  signOn,
  preview,
  panel,
  webhooks,
  models,
  schedule,
  workflow,
  trash,
  releases,
  backup,
  metrics,
  slowRequests,
  traces,
  queryShapes,
  health,
  push,
  sync,
  search,
  aggregates,
  mcp,
  oauth,
  content,
];
