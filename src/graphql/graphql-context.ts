import type { FieldNode } from 'graphql';
import type { Context as KoaContext } from 'koa';
import type { Caller } from '../auth/caller.js';
import { allows } from '../query/access.js';
import type { ContentContext } from '../content/content-context.js';
import type { ApiError } from '../errors.js';
import type { Running } from '../http/running.js';
import type { Staging } from '../media/staging.js';
import type { Access } from '../query/access.js';
import type { Tracer } from './tracer.js';

/** The page sizes of GraphQL, also for nested lists. */
export interface PageSettings {
  readonly defaultLimit: number;
  /** Null if there is no maximum. */
  readonly maxLimit: number | null;
}

/** The context of an operation for resolvers, policies and middlewares of custom code. */
export interface RequestContext {
  readonly koaContext: KoaContext;
  readonly state: CallerState;
}

/** The context of the resolvers of one operation. */
export interface GraphqlContext extends RequestContext {
  readonly access: Access;
  readonly caller: Caller;
  readonly running: Running;
  /** The files of the request; null if there are none. */
  readonly staging: Staging | null;
  readonly content: ContentContext;
  readonly pages: PageSettings;
  /** Errors in arguments of nested fields, found when their root field was planned. */
  readonly failures: Map<FieldNode, ApiError>;
  /** Null if resolvers are not timed. */
  readonly tracer: Tracer | null;
}

/** A user in `state.user`, for custom code. */
export interface StateUser {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly confirmed: boolean;
  readonly blocked: boolean;
  readonly role: { readonly id: number; readonly name: string; readonly type: string } | null;
}

/** The caller, as code of Strapi v4 reads it from Koa's `ctx.state`. */
export interface CallerState {
  /** Absent if there is no user: for the public and for API tokens. */
  readonly user?: StateUser;
  readonly auth: {
    readonly strategy: { readonly name: 'users-permissions' | 'api-token' };
    /** Null for the public. */
    readonly credentials: StateUser | { readonly id: number; readonly name: string; readonly type: string } | null;
    /** Returns whether the caller may do an action such as `api::article.article.find`. */
    readonly ability: { readonly can: (action: string) => boolean };
  };
  /** Whether the caller has sent credentials. */
  readonly isAuthenticated: boolean;
}

export function callerState(caller: Caller): CallerState {
  const user = caller.kind === 'user' ? stateUser(caller) : undefined;
  return { ...(user && { user }), auth: new CallerAuth(caller, user ?? null), isAuthenticated: caller.kind !== 'public' };
}

/** How the caller of a request was recognized, and what they may do. */
export class CallerAuth {
  readonly strategy: CallerState['auth']['strategy'];
  readonly credentials: CallerState['auth']['credentials'];
  readonly #caller: Caller;

  constructor(caller: Caller, user: StateUser | null) {
    const token = caller.kind === 'token' ? caller.token : null;
    this.strategy = { name: token === null ? 'users-permissions' : 'api-token' };
    this.credentials = token === null ? user : { id: token.id, name: token.name, type: token.type };
    this.#caller = caller;
  }

  get ability(): CallerState['auth']['ability'] {
    return { can: (action) => allows(this.#caller.access, action) };
  }
}

function stateUser({ user, role, fetched }: Extract<Caller, { kind: 'user' }>): StateUser {
  if (fetched !== undefined) return fetched as unknown as StateUser; // code decides what users have
  const { id, username, email, confirmed, blocked } = user;
  return {
    id,
    username,
    email,
    confirmed,
    blocked,
    role: role === null ? null : { id: role.id, name: role.name, type: role.type },
  };
}
