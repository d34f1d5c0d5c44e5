import type { ApiToken } from '../../access/api-token.js';
import type { Caller } from '../../access/caller.js';
import type { KnownUser } from '../../access/known-user.js';

/** A user as custom code sees it in `state.user`; the role has its name and type. */
export interface StateUser extends Pick<KnownUser, 'id' | 'username' | 'email' | 'confirmed' | 'blocked'> {
  readonly role: { readonly id: number; readonly name: string; readonly type: string } | null;
}

/** Who calls, as code of the reference reads it from Koa's `ctx.state` (graphql.md 5.4). */
export interface CallerState {
  /** Absent without a user: for the public and for API tokens. */
  readonly user?: StateUser;
  readonly auth: {
    readonly strategy: { readonly name: 'users-permissions' | 'api-token' };
    /** Null: the public. */
    readonly credentials: StateUser | Pick<ApiToken, 'id' | 'name' | 'type'> | null;
  };
  /** Whether there are credentials. */
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

function stateUser({ user, role }: Extract<Caller, { kind: 'user' }>): StateUser {
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
