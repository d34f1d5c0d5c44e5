import type { Context } from 'koa';
import type { Caller } from '../access/caller.js';
import { createContext, type ContentContext } from '../content/content-context.js';
import { forbiddenError, unauthorizedError } from '../errors.js';
import { allows } from '../query/access.js';
import { isLocal } from './is-local.js';
import type { Connection, Running } from './running.js';

/** Who sends a request, and what operations work with on their behalf. */
export interface Admitted {
  readonly running: Running;
  readonly caller: Caller;
  readonly content: ContentContext;
}

/**
 * What a route asks for: an action by its full name, or to be somebody: any user, or a token that may do everything; or nothing.
 */
export type Demand = string | 'authenticated' | 'nothing';

/** Decides who may do what, and hands on what an operation works with. */
export interface Gate {
  /** Throws an UnauthorizedError or a ForbiddenError if the caller may not do what the route asks for. */
  admit(ctx: Context, demand: Demand): Promise<Admitted>;
}

/** Works from the start on; throws 503 until the database has answered. */
export function createGate(connection: Connection): Gate {
  return {
    admit: async (ctx, demand) => {
      const running = connection.require();
      const caller = await identify(ctx, running);
      refuse(caller, demand);
      return { running, caller, content: createContext(running.config, running.source, caller.access) };
    },
  };
}

async function identify(ctx: Context, { authenticator, limiter }: Running): Promise<Caller> {
  const { authorization } = ctx.req.headers;
  // What one caller may see is not for caches that serve others.
  if (authorization !== undefined) ctx.set('Cache-Control', 'private, no-store');
  const caller = await authenticator.authenticate({ authorization, isLocal: () => isLocal(ctx.req) });
  await limiter?.(ctx, caller);
  return caller;
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
