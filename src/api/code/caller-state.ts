import type { Caller } from '#content/rights/caller.js';
import { roleUid, userUid } from '#accounts/user-store.js';
import type { StoredDocument } from '#store/form/loaded.js';
import { allows } from '#model/query/access.js';
import type { Registry } from '#model/schema/content-type.js';
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
  /** Absent if there is no user: for the public and for API tokens. In requests of the admin panel it is the administrator. */
  readonly user?: StateUser;
  readonly auth: {
    readonly strategy: { readonly name: 'users-permissions' | 'api-token' | 'admin' };
    /** Null for the public. */
    readonly credentials: StateUser | { readonly id: number; readonly name: string; readonly type: string } | null;
    /** Returns whether the caller may do an action such as `api::article.article.find`; an administrator perhaps on some types only. */
    readonly ability: { readonly can: (action: string, subject?: string | null) => boolean };
  };
  /** Also for the public, as in Strapi v4: the permissions of its role are those of the request. */
  readonly isAuthenticated: true;
}

type Ability = CallerState['auth']['ability'];

/** An administrator who sends a request of the admin panel. */
interface CallingAdministrator {
  readonly kind: 'administrator';
  /** The administrator as code sees them, an object of its own. */
  readonly user: object;
  readonly ability: () => Ability;
}

/** Tells code the caller of a request, in Koa's `ctx.state`. What code has set there stays if the caller was told before. */
export function noteCaller<State extends object>(state: State, caller: Caller, registry: Registry): CallerState & State {
  const { auth } = state as Partial<CallerState>; // absent until a caller is told
  if (auth instanceof CallerAuth && auth.isOf(caller)) return state as CallerState & State;
  return note(state, caller, registry);
}

/** Tells code the administrator of a request, in Koa's `ctx.state`. */
export function noteAdministrator(state: object, administrator: CallingAdministrator): void {
  const { auth } = note(state, administrator, null);
  Object.defineProperty(state, 'userAbility', { get: () => auth.ability, enumerable: true, configurable: true });
}

function note<State extends object>(
  state: State,
  caller: Caller | CallingAdministrator,
  registry: Registry | null,
): CallerState & State {
  const auth = new CallerAuth(caller, registry);
  const noted = Object.assign(state, { auth, isAuthenticated: true as const });
  const set = (value: unknown): unknown => Object.defineProperty(state, 'user', { value, writable: true });
  if (caller.kind === 'user' || caller.kind === 'administrator')
    Object.defineProperty(state, 'user', { get: () => auth.user, set, enumerable: true, configurable: true });
  return noted;
}

const strategies = {
  public: 'users-permissions',
  user: 'users-permissions',
  token: 'api-token',
  administrator: 'admin',
} as const;

/** How the caller of a request was recognized, and what they may do. */
export class CallerAuth {
  readonly strategy: CallerState['auth']['strategy'];
  declare readonly credentials: CallerState['auth']['credentials'];
  readonly #caller: Caller | CallingAdministrator;
  readonly #registry: Registry | null;
  #user: StateUser | null = null;

  constructor(caller: Caller | CallingAdministrator, registry: Registry | null) {
    this.strategy = { name: strategies[caller.kind] };
    this.#caller = caller;
    this.#registry = registry;
    const named = caller.kind === 'token' ? { id: caller.token.id, name: caller.token.name, type: caller.token.type } : null;
    Object.defineProperty(this, 'credentials', { get: () => named ?? this.user, enumerable: true });
  }

  isOf(caller: Caller): boolean {
    return this.#caller === caller;
  }

  /** The user of the request, as an object of its own, since code may change it; null if there is none. */
  get user(): StateUser | null {
    return (this.#user ??= userOf(this.#caller, this.#registry));
  }

  get ability(): Ability {
    const caller = this.#caller;
    return caller.kind === 'administrator' ? caller.ability() : { can: (action) => allows(caller.access, action) };
  }
}

function userOf(caller: Caller | CallingAdministrator, registry: Registry | null): StateUser | null {
  if (caller.kind === 'administrator') return caller.user as StateUser; // code says itself which user it expects
  return caller.kind === 'user' && registry !== null ? stateUser(caller, registry) : null;
}

function stateUser({ user, role, fetched }: Extract<Caller, { kind: 'user' }>, registry: Registry): StateUser {
  if (fetched !== undefined) return fetched as StateUser; // code decides what users have
  return {
    ...shownValue(userUid, user.document, registry),
    role: role && shownValue(roleUid, role.document, registry),
  } as StateUser; // the attributes of the type
}

function shownValue(uid: string, document: StoredDocument, { types }: Registry): object {
  const type = types.get(uid);
  if (type === undefined) return { id: document['_id'] };
  return shapeForCode({ document, selection: { type, fields: scalarsOf(type), children: [], locales: null }, children: [] });
}
