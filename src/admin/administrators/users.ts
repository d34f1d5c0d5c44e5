import { makeCode, storedCode } from '#accounts/login/passwords.js';
import { findMany } from '#content/find-many.js';
import { type ContentContext, ownType, withAccess } from '#content/content-context.js';
import { applicationError, forbiddenError, notFoundError, validationError } from '#base/errors.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { collections } from '#model/schema/collections.js';
import { array, boolean, checkIds, checkPanelBody, id, idsIn, object, string } from '../check-body.js';
import type { PanelCall } from '../panel-route.js';
import { resourceRoutes } from '../resource-routes.js';
import { paginationOf, parametersOf, parseListQuery } from '../panel-query.js';
import { refuseWiderPermissions } from '../rights/rights.js';
import {
  administratorOf,
  findAdministrator,
  readAdminRoles,
  shownAdministrator,
  superAdminCode,
  type AdminRole,
} from './administrator.js';
import { listAccess } from './list-access.js';
import {
  type AdministratorValues,
  changeKeepingSuperAdmin,
  deleteAdministrators,
  fields,
  insertAdministrator,
  isEmailTaken,
  keepingSuperAdmin,
  lowerEmail,
} from './write-administrator.js';

/** The routes of administrators. */
export const administratorRoutes = resourceRoutes('/admin/users', 'admin::users', {
  ...{ list, create: invite, read, change },
  remove: async (call) => (await removeAll([idOf(call)], call))[0],
  removeSeveral: async (call) => removeAll(await checkIds(bodyOf(call.request)), call),
});

async function list(call: PanelCall) {
  const { content } = call;
  const type = ownType(content, 'admin::user');
  const query = parseListQuery(parametersOf(call), content.bind);
  const page = await findMany(type, { ...query, fields: ['id'] }, withAccess(content, listAccess(content.bind.registry)));
  const ids = page.entries.map(({ document }) => Number(document['_id']));
  const { database } = content.store;
  const [documents, roles] = await Promise.all([
    findStored(database, collections.administrators, { match: { _id: is.oneOf(ids) }, sort: { _id: 1 } }),
    readAdminRoles(database),
  ]);
  const byId = new Map(documents.map((document) => [Number(document['_id']), administratorOf(document, roles)]));
  const results = ids.flatMap((id) => byId.get(id) ?? []).map(shownAdministrator);
  return { results, pagination: paginationOf(page) };
}

async function read(call: PanelCall) {
  const administrator = await findAdministrator(call.content.store.database, { _id: idOf(call) });
  if (administrator === null) throw notFoundError('User does not exist');
  return shownAdministrator(administrator);
}

const roleIds = () => array().of(id().required()).min(1);

const invitation = object({
  email: fields.email().required(),
  firstname: fields.firstname().required(),
  lastname: fields.lastname(),
  preferedLanguage: fields.preferedLanguage(),
  roles: roleIds(),
}).noUnknown();

/** Seconds for which an invitation is valid. */
const invitationLifetime = 30 * 86_400;

/** Creates an administrator who registers by a token, which is shown only here. */
async function invite(call: PanelCall) {
  const { request, content } = call;
  const { roles: given, ...values } = await checkPanelBody(invitation, lowerEmail(bodyOf(request)));
  const roles = idsIn(given);
  await checkRoles(roles, [], call);
  if (await isEmailTaken(values.email, content)) throw applicationError('Email already taken');
  const registrationToken = makeCode(20);
  const stored = storedCode(registrationToken, invitationLifetime);
  const invited = await insertAdministrator({ ...values, roles, registrationToken: stored }, content);
  return { ...shownAdministrator(invited), registrationToken };
}

const changes = object({
  email: string().email(),
  firstname: fields.firstname(),
  lastname: fields.lastname(),
  username: fields.username(),
  password: fields.password(),
  isActive: boolean(),
  roles: roleIds(),
}).noUnknown();

async function change(call: PanelCall) {
  const { request, content } = call;
  const { roles, ...rest } = await checkPanelBody(changes, lowerEmail(bodyOf(request)));
  const id = idOf(call);
  const administrator = await findAdministrator(content.store.database, { _id: id });
  if (administrator === null) throw notFoundError('User does not exist');
  const values: AdministratorValues = { ...rest, ...(roles !== undefined && { roles: idsIn(roles) }) };
  await mayChange(administrator.roles, call);
  if (values.password !== undefined && administrator.signsOn)
    throw validationError('password cannot be set, because the administrator logs in by single sign-on');
  if (values.roles !== undefined) await checkRoles(values.roles, administrator.roles, call);
  const changed = await changeKeepingSuperAdmin(id, values, content, request.sender);
  if (changed === null) throw notFoundError('User does not exist');
  return shownAdministrator(changed);
}

/** Deletes the administrators of ids that exist, and returns them. Throws a NotFoundError if there is none. */
async function removeAll(ids: readonly number[], call: PanelCall) {
  const work = async (inside: ContentContext) => {
    const documents = await findStored(inside.store.database, collections.administrators, { match: { _id: is.oneOf(ids) } });
    const roles = await readAdminRoles(inside.store.database);
    for (const document of documents) await mayChange(administratorOf(document, roles).roles, call);
    return deleteAdministrators(ids, inside);
  };
  const deleted = await keepingSuperAdmin(call.content, { ids, loses: () => true, work });
  if (deleted.length === 0) throw notFoundError('User not found');
  return deleted.map(shownAdministrator);
}

/**
 * Throws a ForbiddenError for roles whose rights the administrator does not have: who changes an account could take it over, and who
 * gives a role could give it to themselves.
 */
async function mayChange(roles: readonly AdminRole[], { rights, panel }: PanelCall): Promise<void> {
  if (rights.isSuper) return;
  if (roles.some(({ code }) => code === superAdminCode)) throw forbiddenError();
  const byRole = await panel.permissions();
  refuseWiderPermissions(
    rights,
    roles.flatMap(({ id }) => byRole.get(id) ?? []),
  );
}

/** Throws a ValidationError if a role does not exist, and a ForbiddenError if it gives rights that the administrator does not have. */
async function checkRoles(ids: readonly number[], currentRoles: readonly AdminRole[], call: PanelCall): Promise<void> {
  const roles = await readAdminRoles(call.content.store.database);
  for (const id of ids) if (!roles.has(id)) throw validationError(`There is no role with id ${String(id)}`);
  const isHeld = (id: number): boolean => currentRoles.some((role) => role.id === id);
  const added = ids.filter((id) => !isHeld(id)).flatMap((id) => roles.get(id) ?? []);
  await mayChange(added, call);
}
