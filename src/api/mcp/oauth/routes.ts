import type { RouteParts } from '#http/feature.js';
import { anything, listOf, record, text, type Schema } from '#http/json-schema.js';
import { answers, json, type Content, type Operation } from '#http/operation.js';
import { at, type AnyRoute, type ContextRoute, type OpenRoute, type Route, type RouteCall, withPrefix } from '#http/route.js';
import { accountsOf, notRunning } from '#http/running.js';
import { ignoringEnded, unidentified } from '#http/steps/callers.js';
import { limited } from '#http/steps/counted.js';
import type { Config } from '#settings/config.js';
import { corsOf } from '../cors.js';
import { resourceMetadata, serverMetadata } from './addresses.js';
import { oauthSettingsOf } from './enabled.js';
import { errorAnswer } from './refusals.js';
import { endGrant, grantOperations, listGrants } from './user-grants.js';

const form = (schema: Schema): Content => ({ 'application/x-www-form-urlencoded': schema });

const texts = (required: readonly string[], ...others: readonly string[]): Schema =>
  record(Object.fromEntries([...required, ...others].map((name) => [name, text])), [...required]);

const described = (id: string, summary: string, more: Pick<Operation, 'answers' | 'body'>): Operation => ({
  ...{ id, summary, tag: 'OAuth', ...more },
});

const operations = {
  token: described('issueTokens', 'Exchange a code or a refresh token for tokens (RFC 6749)', {
    body: form(texts(['grant_type', 'client_id'], 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'resource')),
    answers: answers(
      record({ ...{ access_token: text, token_type: text, expires_in: { type: 'integer' } }, refresh_token: text, scope: text }),
    ),
  }),
  revoke: described('revokeToken', 'End the grant of a token (RFC 7009)', {
    body: form(texts(['token', 'client_id'], 'token_type_hint')),
    answers: answers(record({})),
  }),
  register: described('registerClient', 'Register a client (RFC 7591)', {
    body: json({ type: 'object', required: ['redirect_uris'], properties: { redirect_uris: listOf(text), client_name: text } }),
    answers: { 201: { description: 'The client', content: json(anything) } },
  }),
};

/** Returns the routes of OAuth. Their code is loaded on the first request. */
export function oauthRoutes({ config }: RouteParts): readonly AnyRoute[] {
  const settings = oauthSettingsOf(config);
  if (settings === undefined) return [];
  return [
    ...metadataRoutes(config),
    ...pageRoutes,
    ...tokenRoutes,
    ...(settings.registration ? [registerRoute] : []),
    ...withPrefix(config.api.rest.prefix, grantRoutes),
  ];
}

/**
 * Returns the routes of the metadata. Their addresses have the path of what they describe behind them, with the path of `server.url` if
 * there is one. Older clients look at the addresses without it.
 */
function metadataRoutes(config: Config): readonly OpenRoute[] {
  const { url } = config.server;
  const { path } = config.api.mcp;
  const prefix = url === null ? '' : new URL(url).pathname.replace(/\/+$/, '');
  const paths = (start: string, end: string): readonly string[] =>
    [...new Set([`${prefix}${end}`, end, ''])].map((one) => `${start}${one}`);
  const row = (rowPath: string, describe: 'describeServer' | 'describeResource'): OpenRoute => ({
    method: 'GET',
    path: rowPath,
    settings: corsOf(config),
    action: null,
    handle: async ({ connection }) => {
      const accounts = accountsOf(connection.running ?? notRunning());
      return { headers: { 'Cache-Control': 'no-store' }, body: (await import('./metadata.js'))[describe](accounts) };
    },
  });
  return [
    ...[...paths(serverMetadata, '/oauth'), `/oauth${serverMetadata}`].map((one) => row(one, 'describeServer')),
    ...paths(resourceMetadata, path).map((one) => row(one, 'describeResource')),
  ];
}

const steps = [unidentified];

const pageRoutes: readonly (Route | ContextRoute)[] = [
  {
    ...at('GET /oauth/authorize'),
    action: 'anybody',
    steps,
    handleContext: async (ctx, call) => (await import('./authorize.js')).authorize(ctx, call),
  },
  {
    ...at('POST /oauth/log-in'),
    action: 'anybody', // the page checks the right to log in
    steps: [ignoringEnded],
    handleContext: async (ctx, call) => (await import('./authorize.js')).logIn(ctx, call),
  },
  {
    ...at('POST /oauth/consent'),
    action: 'anybody',
    steps,
    handle: async (call) => (await import('./authorize.js')).decide(call),
  },
];

const tokenRoutes: readonly Route[] = [
  {
    ...at('POST /oauth/token'),
    settings: { errorAnswer },
    action: 'anybody',
    steps,
    operation: operations.token,
    handle: async (call) => (await import('./token-endpoint.js')).issueTokens(call),
  },
  {
    ...at('POST /oauth/revoke'),
    settings: { errorAnswer },
    action: 'anybody',
    steps,
    operation: operations.revoke,
    handle: async (call) => (await import('./token-endpoint.js')).revoke(call),
  },
];

const registerRoute: Route = {
  ...at('POST /oauth/register'),
  settings: { errorAnswer },
  action: 'anybody',
  steps: [limited('register-client'), ...steps],
  operation: operations.register,
  handle: async (call) => (await import('./register.js')).register(call),
};

const grantRoutes: readonly Route[] = [
  {
    ...at('GET /users/me/grants'),
    action: 'authenticated',
    operation: grantOperations.list,
    handle: (call: RouteCall) => listGrants(call),
  },
  {
    ...at('DELETE /users/me/grants/:id'),
    action: 'authenticated',
    operation: grantOperations.end,
    handle: (call: RouteCall) => endGrant(call),
  },
];
