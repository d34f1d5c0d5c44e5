import type { Components } from './components.js';
import { flatSchema } from './entry-schemas.js';
import { createSchema, inputSchema } from './input-schemas.js';
import { answers, json, parameter, redirects, type Describe, type Operation } from './operation.js';
import { entryParameters, flatListParameters } from './query-parameters.js';
import { anything, flag, listOf, orNull, record, text, whole, type Schema } from './schema.js';

const userUid = 'plugin::users-permissions.user';

/** Returns the result of a function for the type of users, which every registry contains. */
const ofUsers = (components: Components, show: typeof flatSchema): Schema => {
  const type = components.registry.types.get(userUid);
  return type === undefined ? anything : show(type, components);
};

const userSchema = (components: Components): Schema => ofUsers(components, flatSchema);

const session = (components: Components): Schema =>
  components.named('Session', () => record({ jwt: text, refreshToken: text, user: orNull(userSchema(components)) }, ['user']));

const texts = (...names: readonly string[]): Schema => record(Object.fromEntries(names.map((name) => [name, text])));

const loginTag = 'Login';

/** Describes an operation that begins a session. */
const opens =
  (id: string, summary: string, body: Schema): Describe =>
  (components) => ({ id, summary, tag: loginTag, body: json(body), answers: answers(session(components), 'The session') });

const done = answers(record({ ok: flag }), 'Done');

const users = (id: string, summary: string, more: (components: Components) => Partial<Operation>): Describe => {
  const tag = 'Users';
  return (components) => {
    const own = components.registry.types.get(userUid);
    const query = own === undefined ? [] : entryParameters(own, components);
    const answer = {
      200: { description: 'The user', content: json(userSchema(components)) },
      204: { description: 'No such user' },
    };
    return { id, summary, tag, query, answers: answer, ...more(components) };
  };
};

const roles = (id: string, summary: string, more: Pick<Operation, 'answers' | 'body'>): Describe => {
  const operation = { id, summary, tag: 'Roles', ...more };
  return () => operation;
};

const permissions: Schema = { type: 'object', description: 'Actions by API and controller' };
const roleBody = json({ type: 'object', properties: { name: text, description: text, type: text, permissions } });

const shownRole = (more: Readonly<Record<string, Schema>>): Schema => {
  const own = { id: whole, name: text, description: orNull(text), type: orNull(text) };
  return record({ ...own, createdAt: orNull(text), updatedAt: orNull(text), ...more }, ['id', 'name', ...Object.keys(more)]);
};

const password = { password: text, passwordConfirmation: text };
const email: Schema = { type: 'string', format: 'email' };
const provider = 'Redirects the browser to';

/** Descriptions of the operations on users, roles and sessions, by row below the API prefix. */
export const accountOperations: Readonly<Record<string, Describe>> = {
  'POST /auth/local': opens('logIn', 'Log in by name or e-mail address', texts('identifier', 'password')),
  'POST /auth/local/register': opens('register', 'Register', {
    ...texts('username', 'email', 'password'),
    additionalProperties: true,
  }),
  'POST /auth/reset-password': opens('resetPassword', 'Set a new password by a code', record({ code: text, ...password })),
  'POST /auth/change-password': opens(
    'changePassword',
    'Change the own password',
    record({ currentPassword: text, ...password }),
  ),
  'POST /auth/forgot-password': () => ({
    id: 'forgotPassword',
    summary: 'Send a code for a new password',
    tag: loginTag,
    body: json(record({ email })),
    answers: done,
  }),
  'GET /auth/email-confirmation': () => ({
    id: 'confirmEmail',
    summary: 'Confirm an e-mail address by its code',
    tag: loginTag,
    query: [{ ...parameter('confirmation', 'The code of the e-mail'), required: true }],
    answers: redirects('The address is confirmed'),
  }),
  'POST /auth/send-email-confirmation': () => ({
    id: 'sendEmailConfirmation',
    summary: 'Send the code that confirms an e-mail address again',
    tag: loginTag,
    body: json(record({ email })),
    answers: answers(record({ email: text, sent: flag })),
  }),
  'POST /auth/refresh': opens('refresh', 'Exchange a refresh token for a new session', texts('refreshToken')),
  'POST /auth/logout': () => ({
    id: 'logOut',
    summary: 'End a session',
    tag: loginTag,
    body: json(texts('refreshToken')),
    answers: done,
  }),
  'GET /connect/:provider': () => ({
    id: 'connect',
    summary: 'Log in by another service',
    tag: loginTag,
    answers: redirects(`${provider} the service`),
  }),
  'GET /connect/:provider/callback': (components) => ({
    id: 'connectCallback',
    summary: 'Return from another service',
    tag: loginTag,
    answers: { ...answers(session(components), 'The session'), ...redirects(`${provider} the application`) },
  }),
  'POST /connect/:provider/callback': () => ({
    id: 'connectForm',
    summary: 'Return from another service by a form',
    tag: loginTag,
    answers: { 303: { description: 'Redirects to the same address with a query' } },
  }),
  'GET /auth/:provider/callback': (components) => ({
    id: 'exchangeCode',
    summary: 'Exchange the code of a login by another service, or tokens of the service, for a session',
    tag: loginTag,
    query: [
      parameter('access_token', 'The code, or an access token of the service'),
      parameter('id_token', 'An id token of the service'),
    ],
    answers: answers(session(components), 'The session'),
  }),
  'GET /users': users('findUsers', 'List users', (components) => {
    const own = components.registry.types.get(userUid);
    const query = own === undefined ? [] : flatListParameters(own, components);
    return { query, answers: answers(listOf(userSchema(components)), 'The users') };
  }),
  'POST /users': users('createUser', 'Create a user', (components) => ({
    body: json(ofUsers(components, createSchema)),
    answers: { 201: { description: 'The new user', content: json(userSchema(components)) } },
  })),
  'GET /users/me': users('findMe', 'Read the own user', () => ({})),
  'DELETE /users/me': users('deleteMe', 'Delete the own user', () => ({})),
  'GET /users/count': users('countUsers', 'Count users', () => ({ query: [], answers: answers(whole, 'The number of users') })),
  'GET /users/:id': users('findUser', 'Read a user', () => ({})),
  'PUT /users/:id': users('updateUser', 'Change a user', (components) => ({ body: json(ofUsers(components, inputSchema)) })),
  'DELETE /users/:id': users('deleteUser', 'Delete a user', () => ({})),
  'GET /users-permissions/roles': roles('findRoles', 'List roles', {
    answers: answers(record({ roles: listOf(shownRole({ nb_users: whole })) })),
  }),
  'POST /users-permissions/roles': roles('createRole', 'Create a role', { body: roleBody, answers: done }),
  'GET /users-permissions/roles/:id': roles('findRole', 'Read a role with its permissions', {
    answers: answers(record({ role: shownRole({ permissions }) })),
  }),
  'PUT /users-permissions/roles/:id': roles('updateRole', 'Change a role', { body: roleBody, answers: done }),
  'DELETE /users-permissions/roles/:id': roles('deleteRole', 'Delete a role', { answers: done }),
  'GET /users-permissions/permissions': roles('findPermissions', 'List all actions that can be granted', {
    answers: answers(record({ permissions })),
  }),
};
