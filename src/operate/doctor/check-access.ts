import type { Role } from '#content/rights/role.js';
import type { Context, DatabaseFacts } from './context.js';
import { advice, type Finding, type CheckResult, nameSome, problem } from '#base/finding.js';

/** Actions of one kind that a role should not have, if everybody can have it. */
interface Grants {
  readonly pattern: RegExp;
  /** Says what everybody may do then. */
  readonly may: string;
  /** Whether it is right if limits or rules of rows apply. */
  readonly unless?: 'limited' | 'ruled';
}

const users = 'plugin::users-permissions';

const dangerous: readonly Grants[] = [
  { pattern: new RegExp(`^${users}\\.role\\.(create|update|delete)Role$`), may: 'change roles' },
  { pattern: new RegExp(`^${users}\\.user\\.(create|update|destroy)$`), may: 'change users' },
  { pattern: new RegExp(`^${users}\\.user\\.(find|findOne|count)$`), may: 'see users', unless: 'ruled' },
  { pattern: /^api::.*\.(update|delete)$/, may: 'change or delete entries', unless: 'ruled' },
  { pattern: /^plugin::upload\.content-api\.(destroy|replace)$/, may: 'change or delete files', unless: 'ruled' },
  { pattern: /^api::.*\.(create|createLocalization)$/, may: 'create entries', unless: 'limited' },
  { pattern: /^plugin::upload\.content-api\.upload$/, may: 'upload files', unless: 'limited' },
];

/** Finds what everybody may do, and should not. */
export function checkPublic({ roles }: DatabaseFacts, { config }: Context): CheckResult {
  const role = roles.byType.get('public');
  return role === undefined ? null : findings(role, config.api.ratelimit.enabled);
}

function findings(role: Role, isLimited: boolean): readonly Finding[] {
  return dangerous.flatMap(({ pattern, may, unless }) => {
    const actions = [...role.actions].filter((action) => pattern.test(action)).sort();
    if (actions.length === 0) return [];
    const free = unless === 'ruled' ? actions.filter((action) => !hasRowRule(role, action)) : actions;
    const isRight = unless === 'limited' ? isLimited : free.length === 0;
    const text = `everybody may ${may}: ${nameSome(free.length > 0 ? free : actions)}`;
    const limit = unless === 'limited' && !isLimited ? ', or set api.ratelimit.enabled = true' : '';
    const remedy = `npx mangrove permissions revoke ${role.type} ACTION${unless === 'ruled' ? ', or npx mangrove rules' : limit}`;
    return [isRight ? advice(`${text}, within limits`, remedy) : problem(text, remedy)];
  });
}

/** Returns whether a role sees only some entries of the type of an action. */
function hasRowRule({ rules }: Role, action: string): boolean {
  const uid = uidOf(action);
  return rules?.rows[uid] !== undefined;
}

/** Returns the uid of the type of an action, such as `api::article.article` of `api::article.article.find`. */
const uidOf = (action: string): string =>
  action.startsWith('plugin::upload.') ? 'plugin::upload.file' : action.split('.').slice(0, -1).join('.');

/** Finds rights that everybody gets by a registration. */
export function checkRegistration({ roles, accounts }: DatabaseFacts, { config }: Context): CheckResult {
  if (!config.plugins['users-permissions'].enabled) return null;
  const isOpen = accounts.allow_register && roles.byType.get('public')?.actions.has(`${users}.auth.register`) === true;
  const role = roles.byType.get(accounts.default_role);
  if (!isOpen) return null;
  if (role === undefined)
    return problem(
      `registrations fail: the default role ${accounts.default_role} does not exist`,
      'choose another one in the settings of users, or create it',
    );
  const granted = findings(role, true).filter(({ state }) => state === 'problem');
  return [
    ...granted.map(({ text }) => registered(text, role)),
    accounts.email_confirmation
      ? null
      : advice(
          'everybody can register, with any e-mail address',
          'demand confirmation, or revoke auth.register of the role public',
        ),
  ];
}

/** Rights to change other users or roles are never right for everybody who registers; others may be. */
function registered(text: string, { type }: Role): Finding {
  const own = text.replace(/^everybody/, `everybody who registers (role ${type})`);
  const remedy = `npx mangrove permissions revoke ${type} ACTION, or npx mangrove rules`;
  return /may change (roles|users)/.test(text) ? problem(own, remedy) : advice(own, remedy);
}

export const checkOpenness = ({ config }: Context): CheckResult =>
  config.api.open === true
    ? problem('api.open allows everybody everything', 'remove MANGROVE_OPEN (api.open), and grant actions to roles')
    : null;
