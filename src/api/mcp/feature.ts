import type { Feature } from '#http/feature.js';
import { mcpRoutes } from './routes.js';
import { mcpSettings, mcpSettingsOf } from './settings.js';

/** The Model Context Protocol, by which agents read and write content. */
export const mcp: Feature = {
  name: 'mcp',
  settings: mcpSettings,
  isEnabled: (config) => mcpSettingsOf(config)?.enabled === true,
  routes: mcpRoutes,
};
