import { listSettings, sectionsWith } from '#settings/sections.js';
import { features } from '#features.js';

/** The environment variables that the service reads. */
export const knownVariables: ReadonlySet<string> = new Set([
  'NODE_ENV',
  'NODE_OPTIONS',
  ...listSettings(sectionsWith(features)).flatMap(({ variable }) => variable ?? []),
]);

/** The variables that production needs. */
export const neededVariables: readonly string[] = ['MONGODB_URI', 'JWT_SECRET', 'API_TOKEN_SALT', 'ADMIN_TOKEN'];
