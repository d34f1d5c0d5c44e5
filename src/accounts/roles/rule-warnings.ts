import type { AccountSettings } from '../../auth/account-settings.js';
import { userValues } from '../../auth/role-access.js';
import type { RoleRules } from '../../auth/role.js';

/** Returns a warning for each row rule that compares entries with something that users choose themselves. */
export const ruleWarnings = ({ rows = {} }: Partial<RoleRules>, settings: AccountSettings): readonly string[] =>
  Object.entries(rows).flatMap(([uid, rule]) =>
    userValues(rule).flatMap((value) => {
      const reason = reasonOf(value, settings);
      return reason === null ? [] : [`the row rule of ${uid} compares with ${value}: ${reason}; compare with $user.id instead`];
    }),
  );

function reasonOf(value: string, settings: AccountSettings): string | null {
  if (value === '$user.username') return 'users choose their names themselves';
  if (value !== '$user.email' || settings.email_confirmation) return null;
  return 'email_confirmation is off, so users can claim any address, and those who chose theirs match no entry';
}
