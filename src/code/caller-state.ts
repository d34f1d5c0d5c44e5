import type { Caller } from '../auth/caller.js';
import { allows } from '../query/access.js';

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
