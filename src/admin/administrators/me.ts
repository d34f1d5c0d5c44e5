import { applicationError, ApiError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import { isPassword } from '#accounts/login/passwords.js';
import { array, checkPanelBody, object, string } from '../check-body.js';
import { answerData, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { allPermissions } from '../rights/all-permissions.js';
import { may, permissionsFor, type Rights } from '../rights/rights.js';
import { findAdministrator, shownAdministrator } from './administrator.js';
import { countAttempt, rememberClient } from './session.js';
import { type AdministratorValues, changeAdministrator, isEmailTaken, fields } from './write-administrator.js';

/** The routes of the administrator who is logged in. */
export const meRoutes: PanelRoutes = {
  'GET /admin/users/me': { right: 'logged in', handle: ({ rights }) => answerData(shownAdministrator(rights.administrator)) },
  'PUT /admin/users/me': { right: 'logged in', handle: changeMe },
  'GET /admin/users/me/permissions': { right: 'logged in', handle: myPermissions },
  'POST /admin/permissions/check': { right: 'logged in', handle: checkPermissions, changes: 'nothing' },
};

const profile = object({
  email: string().email(),
  firstname: fields.firstname(),
  lastname: fields.lastname(),
  username: fields.username(),
  password: fields.password(),
  currentPassword: string().when('password', ([password], schema) => (password === undefined ? schema : schema.required())),
  preferedLanguage: fields.preferedLanguage(),
}).noUnknown();

async function changeMe(call: PanelCall): Promise<Answer> {
  const { request, content, rights } = call;
  const { currentPassword, email, ...rest } = await checkPanelBody(profile, bodyOf(request));
  const values: AdministratorValues = { ...rest, ...(email !== undefined && { email: email.toLowerCase() }) };
  const { id } = rights.administrator;
  if (values.password !== undefined) await countAttempt('change-password', String(id), call);
  const stored = await findAdministrator(content.store.database, { _id: id });
  if (values.password !== undefined && !(await isPassword(currentPassword ?? '', stored?.password ?? null)))
    throw refused('currentPassword', 'Invalid credentials');
  if (values.email !== undefined && stored?.signsOn === true && values.email !== stored.email)
    throw refused('email', 'The address is that of your sign-on provider');
  if (values.email !== undefined && (await isEmailTaken(values.email, content, id)))
    throw refused('email', 'Email already taken');
  const changed = await changeAdministrator({ _id: id }, values, content, request.sender);
  if (changed === null) throw applicationError('User does not exist');
  if (values.password !== undefined) await rememberClient(changed, call);
  return answerData(shownAdministrator(changed));
}

/** Returns the error for a value of the own profile, in the form that the panel expects here. */
const refused = (name: string, message: string): ApiError =>
  new ApiError(400, 'BadRequestError', 'ValidationError', { details: { [name]: [message] } });

function myPermissions({ rights, content, panel }: PanelCall): Answer {
  return answerData(rights.isSuper ? allPermissions(content, panel.actions()) : rights.permissions);
}

const checked = object({
  permissions: array()
    .of(object({ action: string().required(), subject: string().nullable(), field: string().nullable() }))
    .required(),
});

/** Answers whether each permission is granted, perhaps only under conditions. */
async function checkPermissions({ request, rights }: PanelCall): Promise<Answer> {
  const { permissions } = await checkPanelBody(checked, bodyOf(request));
  return answerData(permissions.map((asked) => mayUse(rights, asked)));
}

interface AskedPermission {
  readonly action: string;
  readonly subject?: string | null | undefined;
  readonly field?: string | null | undefined;
}

const mayUse = (rights: Rights, { action, subject = null, field = null }: AskedPermission): boolean => {
  if (rights.isSuper || field === null) return may(rights, action, subject);
  return permissionsFor(rights, action, subject).some(({ properties }) => properties.fields?.includes(field) !== false);
};
