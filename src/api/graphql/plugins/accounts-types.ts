import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  type GraphQLFieldConfigMap,
} from 'graphql';
import type { Me } from '#accounts/users/find-me.js';
import { forbiddenError } from '#base/errors.js';

const required = <Type extends typeof GraphQLString | typeof GraphQLID | typeof GraphQLBoolean>(type: Type) => ({
  type: new GraphQLNonNull(type),
});

const meRole = new GraphQLObjectType({
  name: 'UsersPermissionsMeRole',
  fields: {
    id: required(GraphQLID),
    name: required(GraphQLString),
    description: { type: GraphQLString },
    type: { type: GraphQLString },
  },
});

/** Refuses a hidden attribute whose type does not allow null. */
function refuse(): never {
  throw forbiddenError();
}

/** The flat user of `me` and of logins. */
export const meType = new GraphQLObjectType({
  name: 'UsersPermissionsMe',
  fields: {
    id: required(GraphQLID),
    username: { ...required(GraphQLString), resolve: ({ username }: Me) => username ?? refuse() },
    email: { type: GraphQLString },
    confirmed: { type: GraphQLBoolean },
    blocked: { type: GraphQLBoolean },
    role: { type: meRole },
  },
});

const loginPayloadOf = (fields: GraphQLFieldConfigMap<unknown, unknown>) =>
  new GraphQLObjectType({
    name: 'UsersPermissionsLoginPayload',
    fields: { jwt: { type: GraphQLString }, ...fields, user: { type: new GraphQLNonNull(meType) } },
  });

export const loginPayload = loginPayloadOf({});
/** The result of a login if refresh tokens are enabled. */
export const refreshablePayload = loginPayloadOf({ refreshToken: { type: GraphQLString } });

const okPayload = (name: string) => new GraphQLObjectType({ name, fields: { ok: required(GraphQLBoolean) } });

export const passwordPayload = okPayload('UsersPermissionsPasswordPayload');
export const logoutPayload = okPayload('UsersPermissionsLogoutPayload');
export const rolePayloads = {
  create: okPayload('UsersPermissionsCreateRolePayload'),
  update: okPayload('UsersPermissionsUpdateRolePayload'),
  delete: okPayload('UsersPermissionsDeleteRolePayload'),
} as const;

export const registerInput = new GraphQLInputObjectType({
  name: 'UsersPermissionsRegisterInput',
  fields: { username: required(GraphQLString), email: required(GraphQLString), password: required(GraphQLString) },
});

export const loginInput = new GraphQLInputObjectType({
  name: 'UsersPermissionsLoginInput',
  fields: {
    identifier: required(GraphQLString),
    password: required(GraphQLString),
    provider: { ...required(GraphQLString), defaultValue: 'local' },
  },
});
