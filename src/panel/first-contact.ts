import type { Answer } from '../http/route.js';
import { hasAdministrator } from './administrators/first-administrator.js';
import { readLogos } from './settings/project-settings.js';
import { isEditable } from './builder/store-models.js';
import { answerData, type OpenPanelCall, type PanelCall, type PanelRoute } from './panel-route.js';

/** The version of Strapi whose panel is served. */
const strapiVersion = '4.26.2';

/** What the panel asks for before and after a log-in. */
export const firstContactRoutes: readonly PanelRoute[] = [
  { method: 'GET', path: '/admin/init', right: 'nobody', handle: init },
  {
    method: 'GET',
    path: '/admin/project-type',
    right: 'nobody',
    handle: () => Promise.resolve(answerData({ isEE: false, features: [], flags: { nps: false, promoteEE: false } })),
  },
  { method: 'GET', path: '/admin/information', right: 'logged in', handle: information },
  { method: 'GET', path: '/admin/telemetry-properties', right: 'logged in', handle: () => Promise.resolve({ status: 204 }) },
];

/** `uuid: false` switches the telemetry of the panel off. */
async function init({ content }: OpenPanelCall): Promise<Answer> {
  const [hasAdmin, { menuLogo, authLogo }] = await Promise.all([hasAdministrator(content), readLogos(content)]);
  return answerData({ uuid: false, hasAdmin, menuLogo: menuLogo?.['url'] ?? null, authLogo: authLogo?.['url'] ?? null });
}

/** The content-type builder can be edited only if `autoReload` is true and the environment is `development`. */
function information({ running }: PanelCall): Promise<Answer> {
  const autoReload = isEditable(running);
  return Promise.resolve(
    answerData({
      currentEnvironment: autoReload ? 'development' : running.config.environment,
      autoReload,
      strapiVersion,
      dependencies: {},
      projectId: null,
      nodeVersion: process.version,
      communityEdition: true,
      useYarn: false,
    }),
  );
}
