import { createHmac } from 'node:crypto';
import { memoize } from '#base/caches.js';
import { attemptLimits } from '#accounts/login/limit-attempts.js';
import type { AccountLimits } from '#base/limits/attempts.js';
import { type AttemptLimiter, attemptLimiter } from '#store/stores/attempt-limiter.js';
import { type UserTokens, userTokens } from '#content/rights/user-tokens.js';
import type { ContentContext } from '#content/content-context.js';
import type { AdminCondition, RunningService } from '#http/running.js';
import { cacheByKey, cacheUntilChanged } from '#store/changes/changes.js';
import { commented } from '#store/send/database.js';
import { collections } from '#model/schema/collections.js';
import { findAdministrator, type Administrator } from './administrators/administrator.js';
import { type Actions, actionsWith, ownActions } from './rights/actions.js';
import { createDefaultAdminRoles } from './rights/default-roles.js';
import { type PanelPermission, readPermissions } from './rights/permission.js';

/** The parts of the panel's back end that requests use. */
export interface Panel {
  /** Issues and verifies the tokens of administrators. */
  readonly tokens: UserTokens;
  /** Issues and verifies the cookies of the pages below `/_status`. */
  readonly pageTokens: UserTokens;
  /** Limits of log-ins: of a client with one e-mail address, and with any; null if they are not limited. */
  readonly logins: { readonly account: AttemptLimiter; readonly client: AttemptLimiter } | null;
  /** Limits of wrong passwords of one administrator, as of users; null if they are not limited. */
  readonly guesses: AccountLimits | null;
  /** Creates the default roles of administrators if there are none. Called before anything else. */
  readonly prepare: (content: ContentContext) => Promise<void>;
  /** Returns an administrator; null if there is none of that id. `comment`, also below: that of commands to the database. */
  readonly administrator: (id: number, comment?: string) => Promise<Administrator | null>;
  /** Returns the actions of the panel and of the code of a project. */
  readonly actions: () => Actions;
  /** Returns the conditions of permissions in the code of a project. */
  readonly conditions: () => readonly AdminCondition[];
  /** Returns the permissions of all roles, by the id of the role. */
  readonly permissions: (comment?: string) => Promise<ReadonlyMap<number, readonly PanelPermission[]>>;
}

const stored = [collections.administrators, collections.adminRoles];

const none = (): readonly AdminCondition[] => [];

/** Seconds for which the cookie of a page is valid. */
export const pageLifetime = 3_600;

type PanelParts = Pick<RunningService, 'config' | 'secrets' | 'backend' | 'adminActions' | 'adminConditions'>;

/**
 * Builds the parts of the panel. Tokens of each kind have a key of their own, which is not that of users' tokens, even if both secrets are
 * the same.
 */
function createPanel({ config, secrets, backend, adminActions, adminConditions = none }: PanelParts): Panel {
  const { auth, rateLimit } = config.admin;
  const { database, changes } = backend.store;
  const keyOf = (kind: string, secret = auth.secret ?? (secrets.jwtSecret || secrets.tokenSalt)): string =>
    createHmac('sha256', secret).update(kind).digest('hex');
  const former = auth.secretPrevious ?? (auth.secret === null ? secrets.previous.jwtSecret : null);
  const tokens = (kind: string, lifetime: string | number): UserTokens =>
    userTokens(keyOf(kind), lifetime, former === null ? null : keyOf(kind, former));
  const limiter = (max: number): AttemptLimiter =>
    attemptLimiter(database, { collection: collections.attempts, max, interval: rateLimit.interval });
  return {
    tokens: tokens('administrators', auth.options.expiresIn),
    pageTokens: tokens('pages of administrators', pageLifetime),
    prepare: once(createDefaultAdminRoles),
    logins: rateLimit.enabled ? { account: limiter(rateLimit.max), client: limiter(rateLimit.maxPerClient) } : null,
    guesses: attemptLimits({ ...config.plugins['users-permissions'].config.ratelimit, enabled: rateLimit.enabled }, database),
    administrator: cacheByKey(changes, stored, {
      load: (id, comment) => findAdministrator(commented(database, comment), { _id: id }),
      weigh: () => 1_000,
    }),
    actions: () => (adminActions === undefined ? ownActions : actionsWith(adminActions())),
    conditions: adminConditions,
    permissions: cacheUntilChanged(changes, [collections.adminPermissions], (comment) =>
      readPermissions(commented(database, comment)),
    ),
  };
}

/** Returns a function that runs `work` once, and again only if it failed. */
function once<Input>(work: (input: Input) => Promise<void>): (input: Input) => Promise<void> {
  let done: Promise<void> | null = null;
  return async (input) => {
    done ??= work(input);
    await done.catch((error: unknown) => {
      done = null;
      throw error;
    });
  };
}

/** Returns the panel of a running service. */
export const panelOf = memoize((running: RunningService): Panel => createPanel(running));
