import { sectionsWith } from '#settings/sections.js';
import { adminDeclarations } from '#admin/api/declarations.js';
import { releasesDeclaration } from '#admin/releases/declaration.js';
import { aggregateSettings } from '#api/rest/aggregate/settings.js';
import { oauthDeclaration } from '#api/mcp/oauth/declaration.js';
import { mcpSettings } from '#api/mcp/settings.js';
import { metricsSettings, slowSettings } from '#api/metrics/settings.js';
import { restDeclarations } from '#api/rest/declarations.js';
import { searchDeclaration } from '#api/search/declaration.js';
import { syncSettings } from '#api/sync/settings.js';
import { tracesSettings } from '#api/traces/settings.js';
import { trashDeclaration } from '#api/trash/declaration.js';
import type { Declaration } from '#http/feature.js';

/**
 * What the features of `features.ts` declare. It is apart from them, because a start reads the configuration, and starts the embedded
 * database, before it loads the modules of features, and because the commands for backups work without them.
 */
export const declarations: readonly Declaration[] = [
  ...Object.values(restDeclarations),
  ...Object.values(adminDeclarations),
  { settings: { server: metricsSettings } },
  { settings: { server: slowSettings } },
  { settings: { server: tracesSettings } },
  { settings: syncSettings },
  searchDeclaration,
  { settings: aggregateSettings },
  { settings: mcpSettings },
  oauthDeclaration,
  trashDeclaration,
  releasesDeclaration,
];

/** All settings of the service. */
export const allSections = sectionsWith(declarations);

/** The collections of all features. */
export const allCollections = declarations.flatMap(({ collections = [] }) => collections);
