import type { FieldNode } from 'graphql';
import type { Context as KoaContext } from 'koa';
import type { Caller } from '../auth/caller.js';
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
  };
  /** Whether the caller has sent credentials. */
  readonly isAuthenticated: boolean;
}

export function callerState(caller: Caller): CallerState {
  switch (caller.kind) {
    case 'public':
      return { auth: { strategy: { name: 'users-permissions' }, credentials: null }, isAuthenticated: false };
    case 'user': {
      const user = stateUser(caller);
      return { user, auth: { strategy: { name: 'users-permissions' }, credentials: user }, isAuthenticated: true };
    }
    case 'token': {
      const { id, name, type } = caller.token;
      return { auth: { strategy: { name: 'api-token' }, credentials: { id, name, type } }, isAuthenticated: true };
    }
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
