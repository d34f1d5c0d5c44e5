import type { AccountSettings } from '#content/rights/account-settings.js';
import { roleAccess } from '#content/rights/role-access.js';
import type { Roles } from '#content/rights/role.js';
import { builtinModels } from '#model/schema/builtin-models.js';
import type { ContentContext } from '#content/content-context.js';
import type { Accounts } from '../accounts.js';
import { registrationAttributes } from '../login/register.js';
import { ruleWarnings } from '../roles/set-rules.js';
import { userType, userUid } from '../user-store.js';

/** Returns warnings about settings that let users choose more than an operator may expect. */
export async function startWarnings(accounts: Accounts, content: ContentContext): Promise<readonly string[]> {
  const { authenticator, config } = accounts;
  const [roles, { advanced }] = await Promise.all([authenticator.roles(), authenticator.settings()]);
  const ofRules = [...roles.byId.values()].flatMap(({ type, rules }) =>
    ruleWarnings(rules ?? {}, advanced).map((warning) => `role ${type}: ${warning}`),
  );
  return [...ofRules, ...registrationWarnings({ config, advanced, roles }, content)];
}

interface Registration extends Pick<Accounts, 'config'> {
  readonly advanced: AccountSettings;
  readonly roles: Roles;
}

/** Returns a warning if registrations may set attributes that the project has added to users, and no setting lists them. */
function registrationWarnings({ config, advanced, roles }: Registration, content: ContentContext): readonly string[] {
  const { byType } = roles;
  const role = byType.get(advanced.default_role);
  const isOpen = byType.get('public')?.actions.has('plugin::users-permissions.auth.register') === true;
  const { allowedFields } = config.plugins['users-permissions'].config.register;
  if (!advanced.allow_register || !isOpen || allowedFields !== null || role === undefined) return [];
  const hidden = roleAccess(role, null, content.bind).hidden.get(userUid);
  const names = registrationAttributes(userType(content), null).filter(
    (name) => !builtin.has(name) && hidden?.has(name) !== true,
  );
  if (names.length === 0) return [];
  const setting = 'users-permissions.config.register.allowedFields';
  return [`a registration may set ${names.join(', ')} of the new user; list what it may set in ${setting}`];
}

const builtin: ReadonlySet<string> = new Set(
  builtinModels.filter(({ uid }) => uid === userUid).flatMap(({ attributes }) => Object.keys(attributes)),
);
