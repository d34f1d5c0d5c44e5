import { GraphQLNonNull, GraphQLString } from 'graphql';
import { ignoringExpired, type Fields, withScope } from '../types/schema-context.js';
import type { SessionOperations } from './accounts-service.js';
import { logoutPayload, refreshablePayload } from './accounts-types.js';
import type { Values } from '../../values.js';

const refreshToken = { type: new GraphQLNonNull(GraphQLString) };

/** The mutations of refresh tokens. Who holds a refresh token may use it, as over REST. */
export const sessionMutations = ({ refresh, logout }: SessionOperations): Fields => ({
  refresh: {
    type: refreshablePayload,
    description: 'Exchange a refresh token for a new token and a new refresh token',
    args: { refreshToken },
    resolve: (_root, args: Values, context) => refresh(args, context),
    ...withScope('public', ignoringExpired),
  },
  logout: {
    type: logoutPayload,
    description: 'End the login that a refresh token goes back to',
    args: { refreshToken },
    resolve: (_root, args: Values, context) => logout(args, context),
    ...withScope('public', ignoringExpired),
  },
});
