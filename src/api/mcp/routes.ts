import { badRequestError, forbiddenError, refusedToken, unauthorizedError } from '#base/errors.js';
import { finderOf } from '#http/authorize.js';
import type { RouteParts } from '#http/feature.js';
import { anything } from '#http/json-schema.js';
import { answers, json, type Operation } from '#http/operation.js';
import type { Answer, AnyRoute, OpenRoute, Route, Step } from '#http/route.js';
import { corsOf } from './cors.js';
import type { FindAgent } from './oauth/caller.js';
import { isOAuthEnabled } from './oauth/enabled.js';
import { isLoopbackHost } from './oauth/redirects.js';
import { mcpSettingsOf } from './settings.js';
import type { Config } from '#settings/config.js';

const operation: Operation = {
  id: 'sendMcpMessage',
  summary: 'Send a message of the Model Context Protocol',
  tag: 'Agents',
  description:
    'JSON-RPC over streamable HTTP without sessions, for clients of the revisions 2026-07-28, 2025-11-25 and 2025-06-18.',
  body: json(anything),
  answers: { ...answers(anything, 'The answer to a request'), 202: { description: 'A notification was received' } },
};

/** Returns the routes of the endpoint. The packages of the protocol are loaded on the first message. */
export function mcpRoutes(parts: RouteParts): readonly AnyRoute[] {
  const settings = mcpSettingsOf(parts.config);
  if (settings === undefined) return [];
  const { path } = settings;
  const message: Route = {
    method: 'POST',
    path,
    action: 'anybody',
    settings: { mayLast: true, ...corsOf(parts.config) },
    steps: [agentCaller(parts.config)],
    operation,
    page: { name: 'Agents', about: 'the address for clients of the Model Context Protocol' },
    handle: async (call) => {
      if (Array.isArray(call.request.body)) throw badRequestError('Messages must be sent one by one');
      return (await import('./endpoint.js')).answerMessage(call, parts.projectCode);
    },
  };
  const others: readonly OpenRoute[] = (['GET', 'DELETE'] as const).map((method) => ({
    ...{ method, path, action: null },
    handle: () => withoutSessions,
  }));
  return [message, ...others];
}

const withoutSessions: Answer = {
  ...{ status: 405, headers: { Allow: 'POST' } },
  body: 'Clients of the Model Context Protocol send POST to this address; there are no sessions',
};

/** Refuses requests of foreign pages, and callers without credentials unless the configuration serves them. */
const agentCaller = (config: Config): Step => ({
  name: 'caller',
  stage: 'caller',
  finds: (action) => {
    const { api, server } = config;
    const find = identified(finderOf(action), api.mcp.public);
    const findAgent = isOAuthEnabled(config) ? orGrant(find) : find;
    return (ctx, running) => {
      const allowed = ctx.res.getHeader('Access-Control-Allow-Origin');
      if (isForeign(ctx.req.headers.origin, allowed === '*' && api.mcp.public ? null : allowed, server.url))
        throw forbiddenError('Pages of this origin may not use the endpoint');
      return findAgent(ctx, running);
    };
  },
});

/** Returns how callers are found who have credentials, or need none. */
const identified =
  (find: FindAgent, isPublic: boolean): FindAgent =>
  async (ctx, running) => {
    const caller = await find(ctx, running);
    if (caller.kind === 'public' && caller.ended !== null) throw refusedToken(caller.ended); // else an agent would not notice
    if (caller.kind === 'public' && !isPublic) throw unauthorizedError('An agent needs the token of a user, or an API token');
    return caller;
  };

/** Returns how callers are found who may have tokens of OAuth. The code for these is loaded with the first request. */
const orGrant =
  (find: FindAgent): FindAgent =>
  async (ctx, running) => {
    const { findGrantCaller, withMetadata } = await import('./oauth/caller.js');
    return withMetadata(running, async () => (await findGrantCaller(ctx, running)) ?? find(ctx, running));
  };

/**
 * Returns whether a page of an origin sends a request, and CORS, which allows `allowed`, does not let it read the answer. The caller passes
 * null for the origins of all pages if the public is served: any page could then reach a service of the user's own network.
 */
const isForeign = (origin: string | undefined, allowed: unknown, own: string | null): boolean =>
  origin !== undefined &&
  allowed !== '*' &&
  allowed !== origin &&
  !(allowed === null && URL.canParse(origin) && isLoopbackHost(new URL(origin))) &&
  !isOwn(origin, own);

const isOwn = (origin: string, own: string | null): boolean => own !== null && new URL(own).origin === origin;
