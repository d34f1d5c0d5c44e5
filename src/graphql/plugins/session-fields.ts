import { GraphQLNonNull, GraphQLString } from 'graphql';
import type { Fields } from '../schema/schema-context.js';
import { withScope } from '../schema/scope.js';
import type { SessionOperations } from './accounts-service.js';
import { logoutPayload, meType, refreshablePayload } from './accounts-types.js';

type Args = Readonly<Record<string, unknown>>;

const refreshToken = { type: new GraphQLNonNull(GraphQLString) };

/** What apps need that keep their users logged in. Who holds a refresh token may use it, as over REST. */
export const sessionMutations = ({ refresh, logout, deleteMe }: SessionOperations): Fields => ({
  refresh: {
    type: refreshablePayload,
    description: 'Exchange a refresh token for a new token and a new refresh token',
    args: { refreshToken },
    resolve: (_root, args: Args, context) => refresh(args, context),
    ...withScope('public'),
  },
  logout: {
    type: logoutPayload,
    description: 'End the login that a refresh token goes back to',
    args: { refreshToken },
    resolve: (_root, args: Args, context) => logout(args, context),
    ...withScope('public'),
  },
  deleteMe: {
    type: meType,
    description: 'Delete the user who is logged in',
    resolve: (_root, args: Args, context) => deleteMe(args, context),
    ...withScope(['plugin::users-permissions.user.deleteMe']),
  },
});
