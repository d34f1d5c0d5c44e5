import type { Answer } from '#http/route.js';
import type { PanelCall, PanelRoutes } from '../panel-route.js';

/** The route of the page that lists plugins. */
export const pluginRoutes: PanelRoutes = {
  'GET /admin/plugins': { right: 'admin::marketplace.read', handle: list },
};

const always = [
  ['content-manager', 'Content Manager', 'Writes and reads entries.'],
  ['content-type-builder', 'Content Type Builder', 'Changes the content types.'],
] as const;

const optional = [
  ['email', 'Email', 'Sends e-mails.'],
  ['upload', 'Media Library', 'Stores files.'],
  ['i18n', 'Internationalization', 'Entries in several locales.'],
  ['users-permissions', 'Roles & Permissions', 'Users of the API, their roles and rights.'],
  ['graphql', 'GraphQL', 'The content API over GraphQL.'],
] as const;

function list({ running }: PanelCall): Answer {
  const enabled = optional.filter(([name]) => running.config.plugins[name].enabled);
  const plugins = [...always, ...enabled].map(([name, displayName, description]) => ({ name, displayName, description }));
  return { body: { plugins } };
}
