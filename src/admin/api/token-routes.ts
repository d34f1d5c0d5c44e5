import { anything, listOf, record } from '#http/json-schema.js';
import { createToken, listTokens, revokeToken } from '#accounts/api-tokens.js';
import type { ApiToken } from '#content/rights/api-token.js';
import { checkActions } from '#content/rights/known-actions.js';
import { grantableActions } from '#http/running.js';
import type { AdminRoute } from './admin-call.js';
import { describe, picked, row, schemas } from './admin-row.js';

/** The routes of API tokens and admin tokens. Only the answer to a create contains the key. */
export const tokenRoutes: readonly AdminRoute[] = [
  row('GET /tokens', describe('adminFindTokens', 'List API tokens', listOf(schemas.token)), async ({ content }) =>
    (await listTokens(content.store)).map(shown),
  ),
  row(
    'POST /tokens',
    describe('adminCreateToken', 'Make an API token', schemas.newToken),
    async ({ body, running, content, commit }) => {
      checkActions(textsIn(body['permissions']), grantableActions(running, content.bind.registry));
      const { token, key } = await commit(({ store }) => createToken(body, running.secrets.tokenSalt, store));
      return { ...shown(token), accessKey: key };
    },
    record({ name: anything, type: anything, description: anything, permissions: anything, lifespan: anything }, []),
  ),
  row('DELETE /tokens/:id', describe('adminDeleteToken', 'Revoke an API token', schemas.token), async ({ request, commit }) =>
    shown(await commit(({ store }) => revokeToken(request.params['id'] ?? '', store))),
  ),
];

/** Returns the texts of a list. Other values are refused when the token is created. */
const textsIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];

const shown = (token: ApiToken) => picked(schemas.token, token);
