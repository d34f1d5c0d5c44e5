import { applicationError, forbiddenError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import type { ContentContext } from '#content/content-context.js';
import { is, matchesAny } from '#store/form/matches.js';
import { isStored } from '#store/stored.js';
import { claim } from '#store/stores/claim.js';
import { collections } from '#model/schema/collections.js';
import { checkPanelBody } from '../check-body.js';
import type { OpenPanelCall, PanelRoutes } from '../panel-route.js';
import { readAdminRoles, superAdminCode } from './administrator.js';
import { countAttempt, openSession, refusePasswords } from './session.js';
import { insertAdministrator, registration } from './write-administrator.js';

/** The registration of the first administrator. */
export const firstAdministratorRoutes: PanelRoutes = {
  'POST /admin/register-admin': { right: 'nobody', handle: registerFirst },
};

const hasRegistered = matchesAny({ password: is.otherThan(null) }, { _identity: is.otherThan(null) });

/** Returns whether there is an administrator who can log in. */
export const hasAdministrator = ({ store }: ContentContext): Promise<boolean> =>
  isStored(store.database, collections.administrators, hasRegistered);

/**
 * Creates the first administrator, with all rights. Only a program on this machine may do so, because anybody could be first
 * otherwise; from elsewhere `npx mangrove admin create` creates one. Throws an ApplicationError if there is one already.
 */
async function registerFirst(call: OpenPanelCall): Promise<Answer> {
  const { request, content } = call;
  refusePasswords(call);
  await countAttempt('register-admin', null, call);
  const taken = () => applicationError('You cannot register a new super admin');
  if (await hasAdministrator(content)) throw taken();
  if (!request.isLocal)
    throw forbiddenError('The first administrator is created on the machine of the service: npx mangrove admin create');
  const values = await checkPanelBody(registration, bodyOf(request));
  const { database } = content.store;
  const work = async () => {
    if (await hasAdministrator(content)) throw taken();
    const roles = [...(await readAdminRoles(database)).values()];
    const role = roles.find(({ code }) => code === superAdminCode);
    const own = { isActive: true, roles: role === undefined ? [] : [role.id] };
    return insertAdministrator({ ...values, ...own }, content, request.sender);
  };
  return openSession(await claim(database, 'first administrator', { busy: taken, work }), call);
}
