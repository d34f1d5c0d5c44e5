import type { AccountSettings } from '../../auth/account-settings.js';
import type { KnownUser } from '../../auth/known-user.js';
import type { ContentContext } from '../../content/content-context.js';
import { applicationError } from '../../errors.js';
import type { Accounts } from '../accounts.js';
import { makeRefreshToken } from './refresh-tokens.js';

/** What a login comes to. */
export interface Session {
  readonly userId: number;
  /** Null if the e-mail address must be confirmed first. */
  readonly jwt: string | null;
  /** Null unless refresh tokens are switched on. */
  readonly refreshToken: string | null;
}

/** Lets a user in. */
export async function openSession(accounts: Accounts, user: KnownUser, content: ContentContext): Promise<Session> {
  const { refreshTokens } = accounts.config.plugins['users-permissions'].config;
  if (!refreshTokens.enabled) return { userId: user.id, jwt: accounts.tokens.sign(user), refreshToken: null };
  const refreshToken = await makeRefreshToken(user, refreshTokens, content);
  return { userId: user.id, jwt: accounts.tokens.sign(user, refreshTokens.accessExpiresIn), refreshToken };
}

/** Throws an ApplicationError if a user may not come in whatever the password. */
export function assertMayLogIn({ confirmed, blocked }: KnownUser, settings: AccountSettings): void {
  if (settings.email_confirmation && !confirmed) throw applicationError('Your account email is not confirmed');
  if (blocked) throw applicationError('Your account has been blocked by an administrator');
}
