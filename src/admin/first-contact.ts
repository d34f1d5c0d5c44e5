import type { Answer } from '#http/route.js';
import { hasAdministrator } from './administrators/first-administrator.js';
import { readLogos } from './settings/project-settings.js';
import { isSignOnOnly } from './sso/settings.js';
import { mayChangeModels } from './builder/store-models.js';
import { answerData, type OpenPanelCall, type PanelCall, type PanelRoutes } from './panel-route.js';

/** The version of Strapi whose panel is served. */
const strapiVersion = '4.26.2';

/** What the panel asks for before and after a log-in. */
export const firstContactRoutes: PanelRoutes = {
  'GET /admin/init': { right: 'nobody', handle: init },
  'GET /admin/project-type': {
    right: 'nobody',
    handle: () => answerData({ isEE: false, features: [], flags: { nps: false, promoteEE: false } }),
  },
  'GET /admin/information': { right: 'logged in', handle: information },
  'GET /admin/telemetry-properties': { right: 'logged in', handle: () => ({ status: 204 }) },
};

/** `uuid: false` switches the telemetry of the panel off. Without an administrator, the panel asks for a first one with a password. */
async function init({ content, running }: OpenPanelCall): Promise<Answer> {
  const [registered, { menuLogo, authLogo }] = await Promise.all([hasAdministrator(content), readLogos(content)]);
  const hasAdmin = registered || isSignOnOnly(running.config);
  return answerData({ uuid: false, hasAdmin, menuLogo: menuLogo?.['url'] ?? null, authLogo: authLogo?.['url'] ?? null });
}

/** The panel lets an administrator change models only if `autoReload` is true and the environment is `development`. */
function information(call: PanelCall): Answer {
  const { running } = call;
  const autoReload = mayChangeModels(call);
  return answerData({
    currentEnvironment: autoReload ? 'development' : running.config.environment,
    autoReload,
    strapiVersion,
    dependencies: {},
    projectId: null,
    nodeVersion: process.version,
    communityEdition: true,
    useYarn: false,
  });
}
