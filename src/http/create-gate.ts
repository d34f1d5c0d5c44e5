import type { Context } from 'koa';
import type { Authenticator } from '../access/authenticate.js';
import type { Caller } from '../access/caller.js';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import { forbiddenError, unauthorizedError } from '../errors.js';
import type { Backend } from '../mongo/open-backend.js';
import { allows, type Access } from '../query/access.js';
import type { BindContext } from '../query/bind-context.js';
import type { RequestLimiter } from './limit-requests.js';
import { actionOf, type ContentType } from '../schema/content-type.js';

/** Who sends a request, and what operations work with on their behalf. */
export interface Admitted {
  readonly caller: Caller;
  readonly content: ContentContext;
}

/**
 * What a route asks for: an action by its full name, or to be somebody: any user, or a token that may do everything; or nothing.
 */
export type Demand = string | 'authenticated' | 'nothing';

/** Decides who may do what, and hands on what an operation works with. */
export interface Gate {
  /** The context of an action on a type. Throws an UnauthorizedError or a ForbiddenError where the caller may not do it. */
  authorize(ctx: Context, type: ContentType, action: string): Promise<ContentContext>;
  /** The same for a route that is no action on a type. */
  admit(ctx: Context, demand: Demand): Promise<Admitted>;
}

/** What a gate is made of; each throws until the database has answered. */
export interface GateParts {
  readonly source: () => ContextSource;
  readonly authenticator: () => Authenticator;
  readonly limiter: () => RequestLimiter | null;
}

/** Works from the start on. */
export function createGate(config: Config, { source, authenticator, limiter }: GateParts): Gate {
  const identify = async (ctx: Context): Promise<Caller> => {
    const { authorization } = ctx.req.headers;
    // What one caller may see is not for caches that serve others.
    if (authorization !== undefined) ctx.set('Cache-Control', 'private, no-store');
    const caller = await authenticator().authenticate(authorization);
    await limiter()?.(ctx, caller);
    return caller;
  };
  const admit: Gate['admit'] = async (ctx, demand) => {
    const caller = await identify(ctx);
    refuse(caller, demand);
    return { caller, content: createContext(config, source(), caller.access) };
  };
  return { admit, authorize: async (ctx, type, action) => (await admit(ctx, actionOf(type, action))).content };
}

/** 401 asks for credentials where none would do without; 403 is for those that do not suffice (rest.md 11.7). */
function refuse(caller: Caller, demand: Demand): void {
  if (demand === 'nothing') return;
  const { access } = caller;
  if (demand === 'authenticated') {
    if (caller.kind === 'user' || access.grants.kind === 'all') return;
    throw caller.kind === 'public' ? unauthorizedError() : forbiddenError();
  }
  if (allows(access, demand)) return;
  throw caller.kind === 'public' && caller.isShut ? unauthorizedError() : forbiddenError();
}

/** Where a context comes from: the parts of a back end that it needs, and the media library's. */
export interface ContextSource extends Pick<ContentContext, 'retireFile'> {
  readonly store: Backend['store'];
  readonly models: Pick<Backend['models'], 'current' | 'locales'>;
}

/** What operations of one request work with: this snapshot, this caller, the figures of REST. */
export function createContext({ api }: Config, { store, models, retireFile }: ContextSource, access: Access): ContentContext {
  const { codes, default: defaultLocale } = models.locales();
  const { defaultLimit, maxLimit, withCount, strict } = api.rest;
  const bind: BindContext = {
    registry: models.current(),
    access,
    limits: api.limits,
    settings: { defaultLimit, maxLimit: maxLimit ?? 1000, withCount, strict },
    defaultLocale,
    locales: codes,
  };
  return { store, bind, createsDrafts: false, ...(retireFile && { retireFile }) };
}
