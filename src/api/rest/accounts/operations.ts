import { flag, listOf, orNull, record, text, integer, type Schema } from '#http/json-schema.js';
import { answers, json, parameter, redirects, type Describe, type Operation, type TypeSchemas } from '#http/operation.js';

const userUid = 'plugin::users-permissions.user';

const session = (schemas: TypeSchemas): Schema => {
  const user = orNull(schemas.ofType(userUid, 'answer'));
  return schemas.named('Session', () => record({ jwt: text, refreshToken: text, user }, ['user']));
};

const texts = (...names: readonly string[]): Schema => record(Object.fromEntries(names.map((name) => [name, text])));

/** Returns the description of a route of sessions. */
const login = (id: string, summary: string, more: Pick<Operation, 'query' | 'body' | 'answers'>): Operation => ({
  id,
  summary,
  tag: 'Login',
  ...more,
});

/** Describes an operation that begins a session. */
const opens =
  (id: string, summary: string, body: Schema): Describe =>
  (schemas) =>
    login(id, summary, { body: json(body), answers: answers(session(schemas), 'The session') });

const done = answers(record({ ok: flag }), 'Done');

const users =
  (id: string, summary: string, more: (user: Schema, schemas: TypeSchemas) => Partial<Operation> = () => ({})): Describe =>
  (schemas) => {
    const user = schemas.ofType(userUid, 'answer');
    const answer = { 200: { description: 'The user', content: json(user) }, 204: { description: 'No such user' } };
    const query = schemas.parameters(userUid, 'entry');
    return { id, summary, tag: 'Users', query, answers: answer, ...more(user, schemas) };
  };

const roles = (id: string, summary: string, more: Pick<Operation, 'answers' | 'body'>): Operation => ({
  id,
  summary,
  tag: 'Roles',
  ...more,
});

const permissions: Schema = { type: 'object', description: 'Actions by API and controller' };
const roleBody = json({ type: 'object', properties: { name: text, description: text, type: text, permissions } });

const shownRole = (more: Readonly<Record<string, Schema>>): Schema => {
  const own = { id: integer, name: text, description: orNull(text), type: orNull(text) };
  return record({ ...own, createdAt: orNull(text), updatedAt: orNull(text), ...more }, ['id', 'name', ...Object.keys(more)]);
};

const password = { password: text, passwordConfirmation: text };
const email: Schema = { type: 'string', format: 'email' };
const provider = 'Redirects the browser to';

/** The descriptions of the routes of sessions. */
export const authOperations = {
  callback: opens('logIn', 'Log in by name or e-mail address', texts('identifier', 'password')),
  register: opens('register', 'Register', { ...texts('username', 'email', 'password'), additionalProperties: true }),
  resetPassword: opens('resetPassword', 'Set a new password by a code', record({ code: text, ...password })),
  changePassword: opens('changePassword', 'Change the own password', record({ currentPassword: text, ...password })),
  forgotPassword: login('forgotPassword', 'Send a code for a new password', { body: json(record({ email })), answers: done }),
  emailConfirmation: login('confirmEmail', 'Confirm an e-mail address by its code', {
    query: [{ ...parameter('confirmation', 'The code of the e-mail'), required: true }],
    answers: redirects('The address is confirmed'),
  }),
  sendEmailConfirmation: login('sendEmailConfirmation', 'Send the code that confirms an e-mail address again', {
    body: json(record({ email })),
    answers: answers(record({ email: text, sent: flag })),
  }),
  refresh: opens('refresh', 'Exchange a refresh token for a new session', texts('refreshToken')),
  logOut: login('logOut', 'End a session', { body: json(texts('refreshToken')), answers: done }),
  connect: login('connect', 'Log in by another service', { answers: redirects(`${provider} the service`) }),
  connectCallback: (schemas: TypeSchemas) => {
    const both = { ...answers(session(schemas), 'The session'), ...redirects(`${provider} the application`) };
    return login('connectCallback', 'Return from another service', { answers: both });
  },
  connectForm: login('connectForm', 'Return from another service by a form', {
    answers: { 303: { description: 'Redirects to the same address with a query' } },
  }),
  exchangeCode: (schemas: TypeSchemas) =>
    login('exchangeCode', 'Exchange the code of a login by another service, or tokens of the service, for a session', {
      query: [
        parameter('access_token', 'The code, or an access token of the service'),
        parameter('id_token', 'An id token of the service'),
      ],
      answers: answers(session(schemas), 'The session'),
    }),
};

/** The descriptions of the routes of users, by action. */
export const userOperations = {
  find: users('findUsers', 'List users', (user, schemas) => ({
    query: schemas.parameters(userUid, 'list'),
    answers: answers(listOf(user), 'The users'),
  })),
  create: users('createUser', 'Create a user', (user, schemas) => ({
    body: json(schemas.ofType(userUid, 'create')),
    answers: { 201: { description: 'The new user', content: json(user) } },
  })),
  me: users('findMe', 'Read the own user'),
  deleteMe: users('deleteMe', 'Delete the own user'),
  count: users('countUsers', 'Count users', () => ({ query: [], answers: answers(integer, 'The number of users') })),
  findOne: users('findUser', 'Read a user'),
  update: users('updateUser', 'Change a user', (_user, schemas) => ({ body: json(schemas.ofType(userUid, 'update')) })),
  destroy: users('deleteUser', 'Delete a user'),
};

/** The descriptions of the routes of roles, by action. */
export const roleOperations = {
  'role.find': roles('findRoles', 'List roles', {
    answers: answers(record({ roles: listOf(shownRole({ nb_users: integer })) })),
  }),
  'role.createRole': roles('createRole', 'Create a role', { body: roleBody, answers: done }),
  'role.findOne': roles('findRole', 'Read a role with its permissions', {
    answers: answers(record({ role: shownRole({ permissions }) })),
  }),
  'role.updateRole': roles('updateRole', 'Change a role', { body: roleBody, answers: done }),
  'role.deleteRole': roles('deleteRole', 'Delete a role', { answers: done }),
  'permissions.getPermissions': roles('findPermissions', 'List all actions that can be granted', {
    answers: answers(record({ permissions })),
  }),
};
