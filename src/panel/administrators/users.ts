import { makeCode, storedCode } from '../../accounts/login/passwords.js';
import { findMany } from '../../content/find-many.js';
import type { ContentContext } from '../../content/content-context.js';
import { applicationError, forbiddenError, notFoundError, validationError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { bodyOf, idOf } from '../../http/route-request.js';
import { oneOf } from '../../mongo/matches.js';
import { findStored } from '../../mongo/stored.js';
import { inTransaction } from '../../mongo/transaction.js';
import { withDatabase } from '../../content/content-context.js';
import { fullAccess } from '../../query/access.js';
import { collections } from '../../schema/collections.js';
import { array, boolean, checkPanelBody, number, object, string } from '../check-body.js';
import { answerData, type PanelCall, type PanelRoute } from '../panel-route.js';
import { paginationOf, parametersOf, parseListQuery } from '../panel-query.js';
import type { Rights } from '../rights/rights.js';
import {
  administratorOf,
  findAdministrator,
  readAdminRoles,
  shownAdministrator,
  superAdminCode,
  type AdminRole,
} from './administrator.js';
import { fields } from './fields.js';
import {
  type AdministratorValues,
  changeAdministrator,
  deleteAdministrators,
  insertAdministrator,
  isEmailTaken,
} from './write-administrator.js';

/** The routes of administrators. */
export const administratorRoutes: readonly PanelRoute[] = [
  { method: 'GET', path: '/admin/users', right: 'admin::users.read', handle: list },
  { method: 'POST', path: '/admin/users', right: 'admin::users.create', handle: invite },
  { method: 'POST', path: '/admin/users/batch-delete', right: 'admin::users.delete', handle: removeSeveral },
  { method: 'GET', path: '/admin/users/:id', right: 'admin::users.read', handle: read },
  { method: 'PUT', path: '/admin/users/:id', right: 'admin::users.update', handle: change },
  { method: 'DELETE', path: '/admin/users/:id', right: 'admin::users.delete', handle: remove },
];

/** Filters, sorts and searches reach the attributes that are shown, and no others. */
const listAccess = {
  ...fullAccess,
  seesPrivate: true,
  hidden: new Map([['admin::user', new Set(['password', 'resetPasswordToken', 'registrationToken'])]]),
} as const;

async function list(call: PanelCall): Promise<Answer> {
  const { content } = call;
  const type = content.bind.registry.types.get('admin::user');
  if (type === undefined) throw notFoundError();
  const query = parseListQuery(parametersOf(call), content.bind);
  const page = await findMany(type, { ...query, fields: ['id'] }, { ...content, bind: { ...content.bind, access: listAccess } });
  const ids = page.entries.map(({ document }) => Number(document['_id']));
  const { database } = content.store;
  const [documents, roles] = await Promise.all([
    findStored(database, collections.administrators, { match: { _id: oneOf(ids) } }),
    readAdminRoles(database),
  ]);
  const byId = new Map(documents.map((document) => [Number(document['_id']), administratorOf(document, roles)]));
  const results = ids.flatMap((id) => byId.get(id) ?? []).map(shownAdministrator);
  return answerData({ results, pagination: paginationOf(page) });
}

async function read(call: PanelCall): Promise<Answer> {
  const administrator = await findAdministrator(call.content.store.database, { _id: idOf(call) });
  if (administrator === null) throw notFoundError('User does not exist');
  return answerData(shownAdministrator(administrator));
}

const roleIds = () => array().of(number().integer().required()).min(1);

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
async function invite({ request, content, rights }: PanelCall): Promise<Answer> {
  const { lastname = null, preferedLanguage = null, roles = [], ...values } = await checkPanelBody(invitation, bodyOf(request));
  await checkRoles(roles, [], { content, rights });
  if (await isEmailTaken(values.email, content)) throw applicationError('Email already taken');
  const registrationToken = makeCode(20);
  const stored = storedCode(registrationToken, invitationLifetime);
  const given = { ...values, lastname, preferedLanguage, roles: [...new Set(roles)], registrationToken: stored };
  const invited = await insertAdministrator(given, content);
  return answerData({ ...shownAdministrator(invited), registrationToken }, 201);
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

async function change(call: PanelCall): Promise<Answer> {
  const { request, content, rights } = call;
  const { email, ...rest } = await checkPanelBody(changes, bodyOf(request));
  const id = idOf(call);
  const administrator = await findAdministrator(content.store.database, { _id: id });
  if (administrator === null) throw notFoundError('User does not exist');
  const values = { ...rest, ...(email !== undefined && { email: email.toLowerCase() }) } as AdministratorValues; // as the schema says
  mayChange(administrator.roles, rights);
  if (values.roles !== undefined) await checkRoles(values.roles, administrator.roles, { content, rights });
  if (values.email !== undefined && (await isEmailTaken(values.email, content, id)))
    throw applicationError('A user with this email address already exists');
  const changed = await keepingSuperAdmin(content, (inside) => changeAdministrator({ _id: id }, values, inside, request.sender));
  if (changed === null) throw notFoundError('User does not exist');
  return answerData(shownAdministrator(changed));
}

async function remove(call: PanelCall): Promise<Answer> {
  const [deleted] = await removeAll([idOf(call)], call);
  if (deleted === undefined) throw notFoundError('User not found');
  return answerData(shownAdministrator(deleted));
}

async function removeSeveral(call: PanelCall): Promise<Answer> {
  const body = object({ ids: array().of(number().integer().required()).min(1).required() }).noUnknown();
  const { ids } = await checkPanelBody(body, bodyOf(call.request));
  return answerData((await removeAll(ids, call)).map(shownAdministrator));
}

async function removeAll(ids: readonly number[], { content, rights }: PanelCall) {
  return keepingSuperAdmin(content, async (inside) => {
    const documents = await findStored(inside.store.database, collections.administrators, { match: { _id: oneOf(ids) } });
    const roles = await readAdminRoles(inside.store.database);
    for (const document of documents) mayChange(administratorOf(document, roles).roles, rights);
    return deleteAdministrators(ids, inside);
  });
}

/** Throws a ForbiddenError for a change of a super admin by somebody who is none, who could take over the account otherwise. */
function mayChange(roles: readonly AdminRole[], { isSuper }: Rights): void {
  if (!isSuper && roles.some(({ code }) => code === superAdminCode)) throw forbiddenError();
}

/**
 * Throws a ValidationError if a role does not exist, and a ForbiddenError if somebody who is no super admin gives that role, because
 * they could give it to themselves.
 */
async function checkRoles(
  ids: readonly number[],
  held: readonly AdminRole[],
  { content, rights }: Pick<PanelCall, 'content' | 'rights'>,
): Promise<void> {
  const roles = await readAdminRoles(content.store.database);
  for (const id of ids) if (!roles.has(id)) throw validationError(`There is no role with id ${String(id)}`);
  const isHeld = (id: number): boolean => held.some((role) => role.id === id);
  if (rights.isSuper) return;
  for (const id of ids) if (!isHeld(id) && roles.get(id)?.code === superAdminCode) throw forbiddenError();
}

/** Runs a change of administrators in a transaction. Throws a ValidationError if there is no active super admin afterwards. */
function keepingSuperAdmin<Result>(content: ContentContext, work: (inside: ContentContext) => Promise<Result>): Promise<Result> {
  return inTransaction(content.store.database, async (database) => {
    const result = await work(withDatabase(content, database));
    const roles = [...(await readAdminRoles(database)).values()];
    const ids = roles.filter(({ code }) => code === superAdminCode).map(({ id }) => id);
    const match = { roles: oneOf(ids), isActive: true };
    if ((await findStored(database, collections.administrators, { match, limit: 1 })).length === 0)
      throw validationError('You must have at least one user with super admin role.');
    return result;
  });
}
