import type { Role } from '#content/rights/role.js';
import { toBoolean } from '#model/schema/stored-values.js';
import { roleUid, userUid, type StoredUser } from '../user-store.js';
import type { FieldError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { notOfType } from '#model/schema/findings.js';
import { parseLinkInput } from '#model/schema/link-input.js';
import type { Accounts, Body } from '../accounts.js';
import { fieldProblems, refuseProblems } from '../check-fields.js';
import { storedCode } from '../login/passwords.js';

const newFields = {
  email: ['email', 'required'],
  username: ['notEmpty', 'required'],
  password: ['notEmpty', 'required'],
} as const;
const changedFields = { email: ['notEmpty', 'email'], username: ['notEmpty'], password: ['notEmpty'] } as const;

/** Returns the problems of the body of a new user. */
export const newUserProblems = (body: Body): FieldError[] => [...fieldProblems(body, newFields), ...newRoleProblems(body)];

/** Returns the problems of a body that changes a user. */
export const changedUserProblems = (body: Body): FieldError[] => [
  ...fieldProblems(body, changedFields),
  ...changedRoleProblems(body),
];

function newRoleProblems({ role }: Body): FieldError[] {
  if (role === undefined) return roleProblem('role is a required field');
  if (!isRecord(role)) return idProblems(role);
  const { connect } = role;
  if (connect === undefined) return [{ path: ['role', 'connect'], message: 'role.connect is a required field' }];
  const isWrong = !Array.isArray(connect) || connect.length === 0;
  return isWrong ? [{ path: ['role', 'connect'], message: 'role.connect field must have at least 1 items' }] : [];
}

const roleProblem = (message: string): FieldError[] => [{ path: ['role'], message }];

function idProblems(role: unknown): FieldError[] {
  if (typeof role === 'string' || (Number.isInteger(role) && Number(role) >= 0)) return [];
  return roleProblem(notOfType('role', typeof role === 'object' ? 'object' : 'strapiID', role));
}

/** Returns the problems of a role in a body that changes a user. The role may be replaced but not removed. */
function changedRoleProblems({ role }: Body): FieldError[] {
  if (role === undefined) return [];
  if (!isRecord(role)) return idProblems(role);
  const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
  const isLost = lengthOf(role['disconnect']) > 0 && lengthOf(role['connect']) === 0;
  return isLost ? roleProblem('Cannot remove role') : [];
}

/** Attributes of users that decide how they log in and what they may do. */
const guarded = ['provider', 'confirmed', 'blocked', 'role', 'resetPasswordToken', 'confirmationToken'] as const;

/**
 * Returns the body of a change that users make to themselves, without guarded attributes. Those that a field rule of the role lists
 * under `allow` stay. Throws a ValidationError if another one would change.
 */
export function ownChange(body: Body, user: StoredUser, role: Role | null): Body {
  const rule = role?.rules?.fields[userUid];
  const allowed = rule !== undefined && 'allow' in rule ? rule.allow : [];
  const refused = guarded.filter((name) => !allowed.includes(name));
  const changed = refused.filter((name) => body[name] !== undefined && !isStored(name, body[name], user));
  refuseProblems(
    changed.map((name) => ({ path: [name], message: `${name} of your own account is fixed, because no field rule allows it` })),
  );
  return Object.fromEntries(Object.entries(body).filter(([name]) => !refused.some((one) => one === name)));
}

/** Returns whether a user has this value already. Apps send the whole user back. */
function isStored(name: (typeof guarded)[number], value: unknown, user: StoredUser): boolean {
  if (name === 'confirmed' || name === 'blocked') return toBoolean(value) === user[name];
  if (name !== 'role') return String(value ?? '') === String(user.document[name] ?? '');
  const input = parseLinkInput(value, roleUid);
  return input?.kind === 'set' && input.ids.join() === String(user.role ?? '');
}

/** Returns the body with its codes in their stored form. They expire like codes in e-mails. */
export function withStoredCodes({ config }: Accounts, body: Body): Body {
  const { codes } = config.plugins['users-permissions'].config;
  const lifetimes = { resetPasswordToken: codes.reset, confirmationToken: codes.confirmation };
  const sent = Object.entries(lifetimes).filter(([name]) => typeof body[name] === 'string');
  return { ...body, ...Object.fromEntries(sent.map(([name, lifetime]) => [name, storedCode(String(body[name]), lifetime)])) };
}
