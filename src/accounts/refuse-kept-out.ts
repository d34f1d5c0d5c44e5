import type { AccountSettings } from '../access/account-settings.js';
import type { KnownUser } from '../access/known-user.js';
import { applicationError } from '../errors.js';

/** Throws an ApplicationError where a user may not come in whatever the password. */
export function refuseKeptOut({ confirmed, blocked }: KnownUser, settings: AccountSettings): void {
  if (settings.email_confirmation && !confirmed) throw applicationError('Your account email is not confirmed');
  if (blocked) throw applicationError('Your account has been blocked by an administrator');
}
