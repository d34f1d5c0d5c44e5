import { GraphQLID, GraphQLNonNull, GraphQLString } from 'graphql';
import type { GraphQLFieldResolver, GraphQLObjectType } from 'graphql';
import type { Values } from '#base/values.js';
import type { GraphqlContext } from '../graphql-context.js';
import { resolveEntry } from '../execute/read-resolvers.js';
import { inputType } from '../types/input-type.js';
import {
  ignoringEnded,
  type Fields,
  type SchemaContext,
  type Scope,
  shownType,
  takingKey,
  withScope,
} from '../types/schema-context.js';
import { accountOperations } from './account-operations.js';
import {
  loginInput,
  loginPayload,
  logoutPayload,
  meType,
  passwordPayload,
  refreshablePayload,
  registerInput,
  rolePayloads,
} from './accounts-types.js';

const text = { type: new GraphQLNonNull(GraphQLString) };
const id = { type: new GraphQLNonNull(GraphQLID) };

/** How accounts are set up. */
export interface AccountOptions {
  readonly refreshTokens: boolean;
}

type Operation = keyof typeof accountOperations;
type Resolver = GraphQLFieldResolver<unknown, GraphqlContext>;

/** Returns the resolver that passes its arguments to an operation. */
const call =
  (name: Operation): Resolver =>
  (_root, args: Values, context) =>
    accountOperations[name](args, context);

/** The query `me`, which all users may use. */
export const accountQueries: Fields = { me: { type: meType, resolve: call('me'), ...withScope('authenticated') } };

/** Returns the mutations for login, registration, passwords and sessions, and for deleting one's own account. */
export function accountMutations({ refreshTokens }: AccountOptions): Fields {
  const payload = refreshTokens ? refreshablePayload : loginPayload;
  return {
    ...entryMutations(payload),
    ...passwordMutations(payload),
    deleteMe: {
      type: meType,
      description: 'Delete the user who is logged in',
      resolve: call('deleteMe'),
      ...withScope(['plugin::users-permissions.user.deleteMe']),
    },
    ...(refreshTokens && sessionMutations),
  };
}

/** Returns the scope of an action, which is that of the REST route. */
const scopeOf = (name: string): Scope => ({ anyone: `plugin::users-permissions.auth.${name}` });

/** Returns the extensions of a field that begins a session. Apps may send an old token with it, even if it has expired. */
const beginning = (name: string) => withScope(scopeOf(name), ignoringEnded);

function entryMutations(payload: GraphQLObjectType): Fields {
  const type = new GraphQLNonNull(payload);
  return {
    login: { type, args: { input: { type: new GraphQLNonNull(loginInput) } }, resolve: call('login'), ...beginning('callback') },
    register: {
      type,
      description: 'Register a user',
      args: { input: { type: new GraphQLNonNull(registerInput) } },
      resolve: call('register'),
      ...beginning('register'),
    },
  };
}

function passwordMutations(session: GraphQLObjectType): Fields {
  return {
    forgotPassword: {
      type: passwordPayload,
      description: 'Request a reset password token',
      args: { email: text },
      resolve: call('forgotPassword'),
      ...beginning('forgotPassword'),
    },
    resetPassword: {
      type: session,
      description: 'Reset user password. Confirm with a code (resetToken from forgotPassword)',
      args: { password: text, passwordConfirmation: text, code: text },
      resolve: call('resetPassword'),
      ...beginning('resetPassword'),
    },
    changePassword: {
      type: session,
      description: 'Change user password. Confirm with the current password.',
      args: { currentPassword: text, password: text, passwordConfirmation: text },
      resolve: call('changePassword'),
      ...withScope(['plugin::users-permissions.auth.changePassword']),
    },
    emailConfirmation: {
      type: session,
      description: 'Confirm an email users email address',
      args: { confirmation: text },
      resolve: call('emailConfirmation'),
      ...withScope(scopeOf('emailConfirmation')),
    },
  };
}

/** The mutations of refresh tokens. They require no right, because the token is the credential, as over REST. */
const sessionMutations: Fields = {
  refresh: {
    type: refreshablePayload,
    description: 'Exchange a refresh token for a new token and a new refresh token',
    args: { refreshToken: text },
    resolve: call('refresh'),
    ...withScope('public', ignoringEnded),
  },
  logout: {
    type: logoutPayload,
    description: 'End the session of a refresh token',
    args: { refreshToken: text },
    resolve: call('logout'),
    ...withScope('public', ignoringEnded),
  },
};

/** Returns the mutations of roles, which answer only with `ok`. */
export function roleMutations(context: SchemaContext): Fields {
  const role = shownType(context, 'plugin::users-permissions.role');
  const input = role === null ? null : inputType(role, context);
  if (input === null) return {};
  const data = { type: new GraphQLNonNull(input) };
  const field = (verb: keyof typeof rolePayloads, description: string, args: Fields[string]['args'] & object) => ({
    ...{ type: rolePayloads[verb], description, args, resolve: call(`${verb}Role`) },
    ...withScope([`plugin::users-permissions.role.${verb}Role`]),
  });
  return {
    createUsersPermissionsRole: field('create', 'Create a new role', { data }),
    updateUsersPermissionsRole: field('update', 'Update an existing role', { id, data }),
    deleteUsersPermissionsRole: field('delete', 'Delete an existing role', { id }),
  };
}

/** Returns the mutations of users. Unlike `register` they accept all attributes of a user. */
export function userMutations(context: SchemaContext): Fields {
  const user = shownType(context, 'plugin::users-permissions.user');
  const input = user === null ? null : inputType(user, context);
  if (user === null || input === null) return {};
  const data = { type: new GraphQLNonNull(input) };
  const type = new GraphQLNonNull(context.objects.response(user, context));
  const field = (action: string, description: string, args: Fields[string]['args'] & object) => ({
    ...{ type, description, args },
    ...withScope([`plugin::users-permissions.user.${action}`], takingKey),
  });
  const write = (name: 'createUser' | 'updateUser'): Resolver => {
    return async (_root, args: Values, request, info) =>
      resolveEntry(user, await accountOperations[name](args, request), request, info);
  };
  const remove: Resolver = async (_root, args: Values, request, info) => {
    const result = await resolveEntry(user, args['id'], request, info);
    if (result.value !== null) await accountOperations.deleteUser(args, request);
    return result;
  };
  return {
    createUsersPermissionsUser: { ...field('create', 'Create a new user', { data }), resolve: write('createUser') },
    updateUsersPermissionsUser: { ...field('update', 'Update an existing user', { id, data }), resolve: write('updateUser') },
    deleteUsersPermissionsUser: { ...field('destroy', 'Delete an existing user', { id }), resolve: remove },
  };
}
