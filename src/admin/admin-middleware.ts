import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Authenticator } from '../access/authenticate.js';
import { notFoundError, unauthorizedError } from '../errors.js';
import { envelopeError } from '../http/error-envelope.js';
import { routeTable } from '../http/route-table.js';
import { recordChange } from '../mongo/audit-log.js';
import { isValues, type Values } from '../schema/check-input.js';
import type { AdminRoute, AdminServices } from './admin-call.js';
import { withoutSecrets } from './without-secrets.js';
import { adminRoutes } from './admin-routes.js';

export interface AdminInput {
  /** The token of the configuration. */
  readonly adminToken: () => string;
  readonly authenticator: () => Authenticator;
  readonly services: () => AdminServices;
}

const prefix = '/admin/api';

/** The admin API: for admin tokens only, and every change is written down before it is made. */
export function adminMiddleware(input: AdminInput): Middleware {
  const find = routeTable(prefix, adminRoutes);
  return async (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next();
    ctx.set('Cache-Control', 'private, no-store');
    const who = await identify(ctx.get('authorization'), input);
    const found = find(ctx);
    if (found === null) throw notFoundError();
    if (found === 'answered') return;
    const call = { ...input.services(), ctx, params: found.params, body: bodyOf(ctx), who };
    const data = await handled(ctx, who, () => found.route.handle(call), { route: found.route, services: call });
    if (data === undefined) ctx.status = 204;
    else ctx.body = { data };
  };
}

function bodyOf(ctx: Context): Values {
  const body: unknown = ctx.request.body;
  return isValues(body) && !Array.isArray(body) ? body : {};
}

/** The name of an admin token. Throws an UnauthorizedError. */
async function identify(authorization: string, { adminToken, authenticator }: AdminInput): Promise<string> {
  const key = /^bearer\s+(\S+)$/i.exec(authorization.trim())?.[1];
  if (key === undefined) throw unauthorizedError();
  const known = adminToken();
  if (known !== '' && isEqual(key, known)) return 'ADMIN_TOKEN';
  const token = await authenticator().findToken(key);
  if (token?.type !== 'admin') throw unauthorizedError();
  if (token.expiresAt !== null && token.expiresAt.getTime() <= Date.now()) throw unauthorizedError('Token expired');
  return token.name;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

interface Handling {
  readonly route: AdminRoute;
  readonly services: AdminServices;
}

async function handled(ctx: Context, who: string, work: () => Promise<unknown>, { route, services }: Handling): Promise<unknown> {
  if (route.method === 'GET' || route.path.endsWith('/validate')) return work();
  const what = `${ctx.method} ${ctx.path.slice(prefix.length)}`;
  const { database } = services.backend.store;
  const record = { at: new Date(), who, ip: ctx.ip, what, body: withoutSecrets(ctx.request.body) };
  const finish = await recordChange(database, record);
  try {
    const data = await work();
    await finish(data === undefined ? 204 : 200);
    return data;
  } catch (error) {
    await finish(envelopeError(error).error.status);
    throw error;
  }
}
