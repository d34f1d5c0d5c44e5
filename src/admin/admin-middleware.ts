import { createHash, timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';
import { createContext } from '../content/content-context.js';
import { notFoundError, unauthorizedError } from '../errors.js';
import { envelopeError } from '../http/error-envelope.js';
import { routeTable } from '../http/route-table.js';
import type { Connection, Running } from '../http/running.js';
import type { Actor, AuditRecord } from '../mongo/audit-log.js';
import { fullAccess } from '../query/access.js';
import type { Values } from '../schema/check-input.js';
import type { AdminCall, AdminRoute, AdminServices } from './admin-call.js';
import { beginChange } from './begin-change.js';
import { checkAdminBody } from './check-admin-body.js';
import { withoutSecrets } from './without-secrets.js';
import { adminRoutes } from './admin-routes.js';

const prefix = '/admin/api';

/** The admin API: for admin tokens only; every change is written down before it is made, and again together with it. */
export function adminMiddleware(connection: Connection): Middleware {
  const find = routeTable(prefix, adminRoutes);
  return async (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next();
    ctx.set('Cache-Control', 'private, no-store');
    const running = connection.require();
    const who = await identify(ctx.get('authorization'), running);
    const found = find(ctx);
    if (found === null) throw notFoundError();
    if (found === 'answered') return;
    ctx.body = { data: await handle(found.route, { ...servicesOf(running), ctx, params: found.params }, who) };
  };
}

const servicesOf = ({ config, source, backend, accounts, secrets }: Running): AdminServices => ({
  backend,
  accounts,
  tokenSalt: secrets.tokenSalt,
  content: createContext(config, source, fullAccess),
});

/** The admin token that a request carries. Throws an UnauthorizedError. */
async function identify(authorization: string, { secrets, authenticator }: Running): Promise<Actor> {
  const key = /^bearer\s+(\S+)$/i.exec(authorization.trim())?.[1];
  if (key === undefined) throw unauthorizedError();
  if (secrets.adminToken !== '' && isEqual(key, secrets.adminToken)) return configured;
  const token = await authenticator.findToken(key);
  if (token?.type !== 'admin') throw unauthorizedError();
  if (token.expiresAt !== null && token.expiresAt.getTime() <= Date.now()) throw unauthorizedError('Token expired');
  return { kind: 'token', tokenId: token.id, who: token.name };
}

const configured: Actor = { kind: 'configuration', tokenId: null, who: 'ADMIN_TOKEN' };

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const isReading = ({ method, path }: AdminRoute): boolean => method === 'GET' || path.endsWith('/validate');

async function handle(route: AdminRoute, request: Omit<AdminCall, 'commit' | 'body'>, actor: Actor): Promise<unknown> {
  if (isReading(route))
    return route.handle({ ...request, body: bodyOf(route, request), commit: (work) => work(request.content) });
  const { commit, end } = await beginChange(recordOf(request, actor), request);
  try {
    const data = await route.handle({ ...request, body: bodyOf(route, request), commit });
    await end(200);
    return data;
  } catch (error) {
    await end(envelopeError(error).error.status);
    throw error;
  }
}

function bodyOf({ body: schema }: AdminRoute, request: Omit<AdminCall, 'commit' | 'body'>): Values {
  if (schema === undefined) return {};
  return checkAdminBody(typeof schema === 'function' ? schema(request) : schema, request.ctx.request.body);
}

const recordOf = ({ ctx }: Pick<AdminCall, 'ctx'>, actor: Actor): AuditRecord => ({
  at: new Date(),
  ...actor,
  ip: ctx.ip,
  what: `${ctx.method} ${ctx.path.slice(prefix.length)}`,
  body: withoutSecrets(ctx.request.body),
});
