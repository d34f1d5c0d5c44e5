import { admin } from './admin/feature.js';
import type { Feature } from './http/feature.js';
import { health } from './http/health-feature.js';
import { docs, openapi } from './openapi/features.js';
import { panel } from './panel/feature.js';
import { accounts, content, locales, models, uploads } from './rest/features.js';
import { startPage } from './start-page/feature.js';

/** The features of the service, except for GraphQL, whose endpoint also depends on code of the project. */
export const features: readonly Feature[] = [
  startPage,
  accounts,
  uploads,
  locales,
  docs,
  openapi,
  admin,
  panel,
  models,
  health,
  content,
];
