import { adminSettings } from './admin-settings.js';
import { apiSettings } from './api-settings.js';
import { databaseSettings } from './database-settings.js';
import { middlewareSettings } from './middleware-settings.js';
import { pluginSettings } from './plugin-settings.js';
import { serverSettings } from './server-settings.js';

/** Every setting there is, by file of config/: type, default, check, environment variable and row of docs/configuration.md come from here. */
export const sections = {
  server: serverSettings,
  database: databaseSettings,
  api: apiSettings,
  plugins: pluginSettings,
  middlewares: middlewareSettings,
  admin: adminSettings,
};

export type SectionName = keyof typeof sections;

/** In the order in which they are read and shown. */
export const sectionNames: readonly SectionName[] = ['server', 'database', 'api', 'plugins', 'middlewares', 'admin'];
