import { endingTokens } from '#content/rights/caller.js';
import type { ContentContext } from '#content/content-context.js';
import { validationError } from '#base/errors.js';
import type { AccountCall, Accounts, Body } from '../accounts.js';
import { readTexts } from '../check-fields.js';
import { hashNewPassword, heldCode, makeCode, storedCode } from './passwords.js';
import { endRefreshTokens, openSession, type Session } from './session.js';
import { changeStoredUser, findStoredUser, type StoredUser } from '../user-store.js';

/** Length of a reset code in bytes, as in Strapi v4. */
const codeBytes = 64;

/**
 * Sends a code to an address if it belongs to a user who is not blocked. Neither the answer nor its timing reveals whether it
 * does, because the code is stored and sent after the answer. Throws a ValidationError if the address is invalid.
 */
export async function forgotPassword(
  accounts: Accounts,
  body: Body,
  { content }: Pick<AccountCall, 'content'>,
): Promise<{ readonly ok: true }> {
  const { email } = readTexts(body, { email: ['email', 'required'] }, 'refused');
  const user = await findStoredUser(content, { email: email.toLowerCase(), provider: 'local' });
  if (user !== null && !user.blocked) sendCode(accounts, user, content);
  return { ok: true };
}

/**
 * Sends the code with a link to the page in the settings, or else to the address of the service. If no e-mail is sent, because there
 * were too many, the last code stays valid.
 */
function sendCode({ address, authenticator, config, mailer }: Accounts, user: StoredUser, content: ContentContext): void {
  const values = async () => {
    const code = makeCode(codeBytes);
    const resetPasswordToken = storedCode(code, config.plugins['users-permissions'].config.codes.reset);
    await changeStoredUser(content, { _id: user.id }, { set: { resetPasswordToken } });
    const { advanced } = await authenticator.settings();
    return { URL: advanced.email_reset_password ?? address.url, TOKEN: code };
  };
  mailer.post({ template: 'reset_password', user, values });
}

const fields = { passwordConfirmation: ['required'], password: ['required'], code: ['required'] } as const;

/**
 * Sets a new password by a code, and revokes the tokens of the user. The code works once, until it expires. Throws a
 * ValidationError if the code or the password is invalid.
 */
export async function resetPassword(accounts: Accounts, body: Body, call: AccountCall): Promise<Session> {
  const { content } = call;
  const { passwordConfirmation, password, code } = readTexts(body, fields, 'refused');
  if (password !== passwordConfirmation) throw validationError('Passwords do not match');
  const match = { resetPasswordToken: heldCode(code) };
  if ((await findStoredUser(content, match)) === null) throw validationError('Incorrect code provided');
  const hash = await hashNewPassword(password, content);
  // The code was sent to the address, so it belongs to the user.
  const change = endingTokens({ password: hash, resetPasswordToken: null, _chosenEmail: false });
  const user = await changeStoredUser(content, match, change);
  if (user === null) throw validationError('Incorrect code provided');
  await endRefreshTokens(user.id, content);
  return openSession(accounts, user, call);
}
