import { advice, type CheckResult, nameSome } from '#base/finding.js';
import type { Feature, FeatureCheck } from '#http/feature.js';
import type { Route, RouteCall } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import { readAdminRoles } from '../administrators/administrator.js';
import { adminDeclarations } from '../api/declarations.js';
import { isSignOnOnly, signOnProviders } from './settings.js';

const importAnswers = () => import('./answer-sign-on.js');

type Handler = keyof Awaited<ReturnType<typeof importAnswers>>;

/** Returns a row whose handler is loaded with the first request. */
const row = (path: string, handler: Handler): Route => ({
  method: 'GET',
  path: `/admin/sso${path}`,
  action: 'anybody',
  steps: [unidentified],
  handle: async (call: RouteCall) => (await importAnswers())[handler](call),
});

/** Whether each role that providers give exists. */
const roleCheck: FeatureCheck = {
  name: 'sign-on',
  fine: 'the roles of single sign-on exist',
  check: async ({ config, database }): Promise<CheckResult> => {
    const roleNames = new Set(signOnProviders(config).flatMap(({ roles }) => Object.values(roles)));
    if (roleNames.size === 0) return null;
    const stored = [...(await readAdminRoles(database)).values()].flatMap(({ code, name }) => [code, name]);
    const missing = [...roleNames].filter((role) => !stored.includes(role));
    if (missing.length === 0) return null;
    return advice(`no administrator gets the role ${nameSome(missing)}, which does not exist`, 'Create it in the panel.');
  },
};

const addressMissing = 'admin.sso.providers needs server.url in production, because providers send browsers back there';

/** Single sign-on of administrators with OpenID Connect. */
export const signOn: Feature = {
  name: 'sign-on',
  ...adminDeclarations.signOn,
  isAdmin: true,
  isEnabled: (config) => config.admin.enabled,
  problems: (config) => {
    const names = signOnProviders(config).map(({ name }) => name);
    const isLost = config.environment === 'production' && config.server.url === null;
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    return [
      ...(names.length === 0 && isSignOnOnly(config) ? ['admin.sso.only needs a provider in admin.sso.providers'] : []),
      ...(names.length > 0 && isLost ? [addressMissing] : []),
      ...twice.map((name) => `admin.sso.providers has the name ${name} twice`),
    ];
  },
  checks: [roleCheck],
  routes: () => [row('', 'listProviders'), row('/:name', 'beginSignOn'), row('/:name/callback', 'endSignOn')],
};
