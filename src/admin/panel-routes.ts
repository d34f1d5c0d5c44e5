import type { Answer, RouteCall } from '#http/route.js';
import { firstAdministratorRoutes } from './administrators/first-administrator.js';
import { meRoutes } from './administrators/me.js';
import { administratorRoutes } from './administrators/users.js';
import { sessionRoutes } from './administrators/session.js';
import { roleRoutes } from './rights/role-routes.js';
import { cloneRoutes } from './content-manager/clone.js';
import { draftRelationRoutes } from './content-manager/draft-relations.js';
import { localeRoutes } from './content-manager/locales.js';
import { publishRoutes } from './content-manager/publish-routes.js';
import { readRoutes } from './content-manager/read-routes.js';
import { relationRoutes } from './content-manager/relations.js';
import { uidRoutes } from './content-manager/uid-routes.js';
import { viewRoutes } from './content-manager/view-routes.js';
import { writeRoutes } from './content-manager/write-routes.js';
import { firstContactRoutes } from './first-contact.js';
import { builderRoutes } from './builder/builder-routes.js';
import { fileRoutes } from './library/file-routes.js';
import { folderRoutes } from './library/folder-routes.js';
import { librarySettingsRoutes } from './library/library-settings.js';
import { contentApiRoutes } from './settings/content-api.js';
import { emailRoutes } from './settings/email-routes.js';
import { localeRoutes as localeSettingsRoutes } from './settings/locale-routes.js';
import { pluginRoutes } from './settings/plugin-routes.js';
import { projectSettingsRoutes } from './settings/project-settings.js';
import { tokenRoutes } from './settings/token-routes.js';
import { userRoleRoutes } from './settings/user-role-routes.js';
import { userSettingsRoutes } from './settings/user-settings-routes.js';
import { webhookRoutes } from './settings/webhook-routes.js';
import { answerOf, type PanelMethod, type PanelRoutes } from './panel-route.js';

/** What answers the routes of the panel, whose paths are in `panel-paths.ts`. */
export const panelRows: PanelRoutes = {
  ...firstContactRoutes,
  ...sessionRoutes,
  ...firstAdministratorRoutes,
  ...meRoutes,
  ...administratorRoutes,
  ...roleRoutes,
  ...viewRoutes,
  ...readRoutes,
  ...publishRoutes,
  ...writeRoutes,
  ...cloneRoutes,
  ...localeRoutes,
  ...uidRoutes,
  ...draftRelationRoutes,
  ...relationRoutes,
  ...tokenRoutes,
  ...contentApiRoutes,
  ...webhookRoutes,
  ...fileRoutes,
  ...folderRoutes,
  ...librarySettingsRoutes,
  ...projectSettingsRoutes,
  ...pluginRoutes,
  ...emailRoutes,
  ...localeSettingsRoutes,
  ...userRoleRoutes,
  ...userSettingsRoutes,
  ...builderRoutes,
};

/** Returns the answer to a request to a path of the panel. */
export function answerPanel(method: PanelMethod, path: string, call: RouteCall): Promise<Answer> {
  const row = panelRows[`${method} ${path}`];
  if (row === undefined) throw new Error(`no row of the panel answers ${method} ${path}`);
  return answerOf(row, call, { method, path });
}
