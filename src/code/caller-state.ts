import type { Caller } from '../auth/caller.js';
import { roleUid, userUid } from '../accounts/user-store.js';
import type { StoredDocument } from '../mongo/form/loaded.js';
import { allows } from '../query/access.js';
import type { Registry } from '../schema/content-type.js';
import type { Entity } from './entity-service.js';
import { scalarsOf, shapeForCode } from './rows.js';

/** A user in `state.user`, for custom code: all values of the user, also those of a project, and the role. */
export type StateUser = Entity & {
  readonly username: string;
  readonly email: string;
  readonly confirmed: boolean;
  readonly blocked: boolean;
  readonly role: { readonly id: number; readonly name: string; readonly type: string } | null;
};

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

/** Tells code the caller of a request, in Koa's `ctx.state`. */
export function noteCaller<State extends object>(state: State, caller: Caller, registry: Registry): CallerState & State {
  const auth = new CallerAuth(caller, registry);
  const noted = Object.assign(state, { auth, isAuthenticated: caller.kind !== 'public' });
  const set = (value: unknown): unknown => Object.defineProperty(state, 'user', { value, writable: true });
  if (caller.kind === 'user')
    Object.defineProperty(state, 'user', { get: () => auth.user, set, enumerable: true, configurable: true });
  return noted;
}

/** How the caller of a request was recognized, and what they may do. */
export class CallerAuth {
  readonly strategy: CallerState['auth']['strategy'];
  declare readonly credentials: CallerState['auth']['credentials'];
  readonly #caller: Caller;
  readonly #registry: Registry;
  #user: StateUser | null = null;

  constructor(caller: Caller, registry: Registry) {
    this.strategy = { name: caller.kind === 'token' ? 'api-token' : 'users-permissions' };
    this.#caller = caller;
    this.#registry = registry;
    const named = caller.kind === 'token' ? { id: caller.token.id, name: caller.token.name, type: caller.token.type } : null;
    Object.defineProperty(this, 'credentials', { get: () => named ?? this.user, enumerable: true });
  }

  /** The user of the request, as an object of its own, since code may change it; null if there is none. */
  get user(): StateUser | null {
    return this.#caller.kind === 'user' ? (this.#user ??= stateUser(this.#caller, this.#registry)) : null;
  }

  get ability(): CallerState['auth']['ability'] {
    return { can: (action) => allows(this.#caller.access, action) };
  }
}

function stateUser({ user, role, fetched }: Extract<Caller, { kind: 'user' }>, registry: Registry): StateUser {
  if (fetched !== undefined) return fetched as StateUser; // code decides what users have
  const shown = (uid: string, document: StoredDocument): object => {
    const type = registry.types.get(uid);
    if (type === undefined) return { id: document['_id'] };
    return shapeForCode({ document, selection: { type, fields: scalarsOf(type), children: [], locales: null }, children: [] });
  };
  return { ...shown(userUid, user.document), role: role && shown(roleUid, role.document) } as StateUser; // the attributes of the type
}
