import { collections } from '#model/schema/collections.js';
import { ApiError, refusedToken, type TokenFault } from '#base/errors.js';
import { cacheByKey, cacheUntilChanged } from '#store/changes/changes.js';
import { commented } from '#store/send/database.js';
import type { Access } from '#model/query/access.js';
import { readAccountSettings, type AccountSettings, type StoredSettings } from './account-settings.js';
import { type ApiToken, refuseExpired, tokenFinder } from './api-token.js';
import { type Caller, type CallingUser, readUser, weighUser, type KnownUser } from './caller.js';
import { createOpenAccess, openAccess, type OpenAccess, type OpenAccessInput } from './is-open.js';
import { readRoles } from './role.js';
import { roleAccess } from './role-access.js';
import type { Role, Roles } from './role.js';
import { decodeId, isRecord, type Values } from '#base/values.js';
import type { TokenClaims, UserTokens } from './user-tokens.js';

/** Identifies callers by the current content of the database. */
export interface Authenticator {
  /** Returns the caller of a request. Throws an UnauthorizedError for wrong credentials. */
  authenticate(credentials: Credentials): Promise<Caller>;
  /** Returns the user of claims that were verified, as of a token of the user. Throws an UnauthorizedError if they do not hold any more. */
  callerOf(claims: TokenClaims, circumstances: Circumstances): Promise<Caller>;
  /** Returns the access of a user: that of the user's role, or of a service that is open to everybody. */
  accessOf(user: KnownUser): Promise<Access>;
  /** `comment`, here and below: that of commands to the database, which are sent unless the values are cached. */
  roles(comment?: string): Promise<Roles>;
  settings(comment?: string): Promise<StoredSettings>;
  /** Finds the token of a key, of any type, expired or not; null if there is none. */
  findToken(key: string, comment?: string): Promise<ApiToken | null>;
}

/** The parts of a request that identify its sender. */
interface Credentials {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** Returns whether the request comes from a program on this machine. Called only if that matters. */
  readonly isLocal: () => boolean;
  /** Returns whether a user's token that is invalid for this reason is ignored instead of refused. */
  readonly ignores: (fault: TokenFault) => boolean;
  readonly requestId: string;
}

/** What decides about a caller besides the credentials. */
type Circumstances = Omit<Credentials, 'authorization'>;

interface AuthenticatorInput extends OpenAccessInput {
  readonly tokenSalt: string;
  /** Null if there is none. */
  readonly formerSalt: string | null;
  /** Null if users are disabled. */
  readonly userTokens: UserTokens | null;
  /** Returns the function by which project code replaces the reading of users; null if there is none. */
  readonly fetchUser?: (() => FetchUser | null) | undefined;
  /**
   * Returns the function by which project code replaces the reading of users' tokens; null if there is none. It returns the id of the user;
   * null if the sender of the token is to be the public. It rejects if the token is to be refused.
   */
  readonly readToken?: (() => ((token: string) => Promise<number | null>) | null) | undefined;
}

/** Returns the user of a valid token, with a role if code decides about it; null if the token is to be refused. */
export type FetchUser = (id: number) => Promise<Values | null>;

interface Sources extends Omit<Authenticator, 'authenticate' | 'callerOf' | 'accessOf'> {
  readonly input: AuthenticatorInput;
  findUser(id: number, comment?: string): Promise<CallingUser | null>;
  readonly openAccess: OpenAccess | null;
}

/** Creates an authenticator. The values that every request needs are cached until an instance changes them. */
export function createAuthenticator(input: AuthenticatorInput): Authenticator {
  const { backend } = input;
  const { database, changes } = backend.store;
  const readCaller = (id: number, comment?: string) => readUser(commented(database, comment), id);
  const sources: Sources = {
    input,
    roles: cacheUntilChanged(changes, [collections.roles, collections.permissions], (comment) =>
      readRoles(commented(database, comment)),
    ),
    settings: cacheUntilChanged(changes, [collections.settings], (comment) => readAccountSettings(commented(database, comment))),
    findToken: tokenFinder(backend, input.tokenSalt, input.formerSalt),
    findUser: cacheByKey(changes, [collections.users], { load: readCaller, weigh: weighUser }),
    openAccess: createOpenAccess(input),
  };
  const { roles, settings, findToken } = sources;
  return {
    authenticate: (credentials) => authenticate(credentials, sources),
    callerOf: (claims, credentials) => callerOf(claims, credentials, sources),
    accessOf: (user) => accessOfUser(user, sources),
    roles,
    settings,
    findToken,
  };
}

async function authenticate(credentials: Credentials, sources: Sources): Promise<Caller> {
  const bearer = readBearer(credentials.authorization);
  if (bearer === null) return publicCaller({ ended: null, ...credentials }, sources);
  // Keys of API tokens are hexadecimal. Looking up a JWT among them would cost a hash for each request.
  const token = bearer.includes('.') ? null : await sources.findToken(bearer, credentials.requestId);
  if (token !== null) return tokenCaller(token);
  return userCaller(bearer, credentials, sources);
}

/** Returns the token of a header `Bearer <token>`; null for a header of any other form. */
export function readBearer(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  const [scheme = '', bearer, ...more] = authorization.trim().split(/\s+/);
  return scheme.toLowerCase() === 'bearer' && bearer !== undefined && more.length === 0 ? bearer : null;
}

interface PublicRequest extends Pick<Credentials, 'isLocal' | 'requestId'> {
  readonly ended: TokenFault | null;
}

async function publicCaller({ isLocal, ended, requestId }: PublicRequest, sources: Sources): Promise<Caller> {
  const open = await sources.openAccess?.(() => sources.roles(requestId), isLocal, requestId);
  if (open) return { kind: 'public', access: open, publicRoleIsEmpty: false, ended };
  const { byType } = await sources.roles(requestId);
  const role = sources.input.userTokens === null ? undefined : byType.get('public');
  return { kind: 'public', access: accessOf(role, null, sources), publicRoleIsEmpty: (role?.actions.size ?? 0) === 0, ended };
}

/**
 * Returns the caller of an API token. Throws an UnauthorizedError if the token has expired, or is an admin token, which is valid
 * only for the admin API.
 */
function tokenCaller(token: ApiToken): Caller {
  if (token.type === 'admin') throw refusedToken('token_invalid');
  refuseExpired(token);
  return { kind: 'token', access: token.access, token };
}

async function userCaller(bearer: string, credentials: Credentials, sources: Sources): Promise<Caller> {
  const { userTokens, readToken } = sources.input;
  const claims = userTokens?.verify(bearer) ?? 'token_invalid';
  if (claims === 'token_expired') return endedCaller(claims, credentials, sources);
  const read = userTokens === null ? null : (readToken?.() ?? null);
  const held = read === null ? claims : await claimsOfCode(read(bearer), claims);
  if (held === 'token_invalid' && claims !== 'token_invalid') return endedCaller('token_revoked', credentials, sources);
  if (held === 'token_invalid') throw refusedToken(held);
  if (held === null) return publicCaller({ ended: 'token_revoked', ...credentials }, sources);
  return callerOf(held, credentials, sources);
}

/**
 * Returns the claims of a token that project code reads: those that the service has verified, if they name the same user. Throws errors of
 * the server; others refuse the token, as in Strapi v4.
 */
async function claimsOfCode(read: Promise<number | null>, claims: Claims): Promise<Claims | null> {
  const id = await read.catch((error: unknown) => {
    if (error instanceof ApiError && error.status >= 500) throw error;
    return 0;
  });
  if (id === null) return null;
  if (id === 0) return 'token_invalid';
  if (claims !== 'token_invalid' && claims.id === id) return claims;
  return { id, version: null, issuedAt: Date.now() };
}

type Claims = TokenClaims | 'token_invalid';

async function callerOf(claims: TokenClaims, credentials: Circumstances, sources: Sources): Promise<Caller> {
  const { requestId } = credentials;
  const [user, { advanced }, roles] = await Promise.all([
    sources.findUser(claims.id, requestId),
    sources.settings(requestId),
    sources.roles(requestId),
  ]);
  const fault = faultOf(user, claims, advanced);
  if (user === null || fault !== null) return endedCaller(fault ?? 'token_revoked', credentials, sources);
  const fetched = await sources.input.fetchUser?.()?.(user.id);
  if (fetched === null || fetched?.['blocked'] === true) return endedCaller('token_revoked', credentials, sources);
  const role = roles.byId.get(roleIn(fetched) ?? user.role ?? 0);
  const open = await sources.openAccess?.(() => Promise.resolve(roles), credentials.isLocal, requestId);
  const access = open ?? accessOf(role, user, sources);
  const publicActions = roles.byType.get('public')?.actions ?? new Set<string>();
  return { kind: 'user', access, user, ...(fetched && { fetched }), role: role ?? null, publicActions };
}

/** Returns the id of the role that code has read with a user; null if there is none. */
function roleIn(fetched: Values | undefined): number | null {
  const role = fetched?.['role'];
  return isRecord(role) ? decodeId(role['id']) : null;
}

/** Returns the public caller if the invalid token is ignored. Throws an UnauthorizedError otherwise. */
function endedCaller(ended: TokenFault, credentials: Circumstances, sources: Sources): Promise<Caller> {
  if (!credentials.ignores(ended)) throw refusedToken(ended);
  return publicCaller({ ended, ...credentials }, sources);
}

/** Returns the reason to refuse a valid token of a user; null if there is none. */
function faultOf(user: KnownUser | null, claims: TokenClaims, settings: AccountSettings): TokenFault | null {
  if (user === null) return 'token_revoked';
  if (user.blocked) return 'account_blocked';
  if (settings.email_confirmation && !user.confirmed) return 'account_unconfirmed';
  const isCurrent = claims.version === null ? claims.issuedAt >= user.tokensFrom : claims.version === user.tokenVersion;
  return isCurrent ? null : 'token_revoked';
}

async function accessOfUser(user: KnownUser, sources: Sources): Promise<Access> {
  // A service that is open by default is closed by its first user.
  if (sources.input.config.api.open === true) return openAccess;
  return accessOf((await sources.roles()).byId.get(user.role ?? 0), user, sources);
}

const noAccess: Access = { grants: { kind: 'actions', actions: new Set() }, rules: new Map(), hidden: new Map() };

function accessOf(role: Role | undefined, user: KnownUser | null, { input: { config, backend } }: Sources): Access {
  if (role === undefined) return noAccess;
  return roleAccess(role, user, { registry: backend.models.snapshot.registry, limits: config.api.limits });
}
