import { endingTokens } from '#content/rights/caller.js';
import { applicationError, validationError, type FieldError } from '#base/errors.js';
import type { AccountCall, Accounts, Body } from '../accounts.js';
import { fieldProblems, readTexts, refuseProblems, unknownKeyErrors } from '../check-fields.js';
import { hashNewPassword, isPassword } from './passwords.js';
import { endRefreshTokens, openSession, type Session } from './session.js';
import { changeStoredUser, findStoredUser } from '../user-store.js';

const fields = { passwordConfirmation: ['required'], password: ['required'], currentPassword: ['required'] } as const;

/** Sets a new password for the caller, and revokes the tokens issued before. Throws an ApplicationError or a ValidationError. */
export async function changePassword(accounts: Accounts, body: Body, call: AccountCall): Promise<Session> {
  const { caller, content } = call;
  if (caller.kind !== 'user') throw applicationError('You must be authenticated to reset your password');
  refuseProblems(changeProblems(body));
  const { password, currentPassword } = readTexts(body, fields, 'refused');
  const user = await findStoredUser(content, { _id: caller.user.id });
  if (!(await isPassword(currentPassword, user?.password ?? null)))
    throw validationError('The provided current password is invalid');
  if (currentPassword === password) throw validationError('Your new password must be different than your current password');
  const hash = await hashNewPassword(password, content);
  const changed = await changeStoredUser(
    content,
    { _id: caller.user.id, password: user?.password },
    endingTokens({ password: hash, resetPasswordToken: null }),
  );
  if (changed === null) throw validationError('The provided current password is invalid'); // changed elsewhere meanwhile
  await endRefreshTokens(changed.id, content);
  return openSession(accounts, changed, call);
}

/** Returns all problems of the body. A confirmation that differs is not also reported as missing. */
function changeProblems(body: Body): FieldError[] {
  const problems = [...fieldProblems(body, fields), ...unknownKeyErrors(body, fields)];
  const { password, passwordConfirmation } = body;
  if (passwordConfirmation === undefined || passwordConfirmation === password) return problems;
  const others = problems.filter(({ path }) => path[0] !== 'passwordConfirmation');
  const ofType = typeof passwordConfirmation === 'string' ? [] : problems.slice(0, problems.length - others.length);
  return [...ofType, { path: ['passwordConfirmation'], message: 'Passwords do not match' }, ...others];
}
