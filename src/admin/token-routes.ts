import { listOf } from '../http/json-schema.js';
import { createToken, listTokens, revokeToken } from '../accounts/api-tokens.js';
import type { ApiToken } from '../auth/api-token.js';
import type { AdminRoute } from './admin-call.js';
import { describe, schemas } from './admin-operation.js';
import { anything, closed } from './check-admin-body.js';

/** The routes of API tokens and admin tokens. Only the answer to a create contains the key. */
export const tokenRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/tokens',
    operation: describe('adminFindTokens', 'List API tokens', listOf(schemas.token)),
    handle: async ({ content }) => (await listTokens(content.store)).map(shown),
  },
  {
    method: 'POST',
    path: '/tokens',
    operation: describe('adminCreateToken', 'Make an API token', schemas.newToken),
    body: closed({ name: anything, type: anything, description: anything, permissions: anything, lifespan: anything }),
    handle: async ({ body, running, commit }) => {
      const { token, key } = await commit(({ store }) => createToken(body, running.secrets.tokenSalt, store));
      return { ...shown(token), accessKey: key };
    },
  },
  {
    method: 'DELETE',
    path: '/tokens/:id',
    operation: describe('adminDeleteToken', 'Revoke an API token', schemas.token),
    handle: async ({ request, commit }) => shown(await commit(({ store }) => revokeToken(request.params['id'] ?? '', store))),
  },
];

const shown = (token: ApiToken): object =>
  Object.fromEntries(Object.entries(token).filter(([name]) => name !== 'access' && name !== 'hash'));
