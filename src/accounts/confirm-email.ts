import { applicationError, validationError } from '../errors.js';
import type { ContentContext } from '../content/content-context.js';
import type { AccountCall, Accounts, Body } from './accounts.js';
import { readTexts } from './check-fields.js';
import { hashCode, makeCode } from './secret-code.js';
import { openSession, type Session } from './session.js';
import { changeStoredUser, findStoredUser, type StoredUser } from './user-store.js';

/** Bytes of a confirmation code, as in the reference. */
const codeBytes = 20;

/** Sends a link that confirms the address of a user; a former one is void from then on. */
export async function sendConfirmation(accounts: Accounts, user: StoredUser, content: ContentContext): Promise<void> {
  const code = makeCode(codeBytes);
  await changeStoredUser(content, { _id: user.id }, { $set: { confirmationToken: hashCode(code) } });
  const { rest } = accounts.config.api;
  const url = `${accounts.address.url}${rest.prefix}/auth/email-confirmation`;
  await accounts.mailer.send('email_confirmation', user, { URL: url, CODE: code });
}

/** Confirms the address that a code was sent to; the code serves once. Throws a ValidationError. */
export async function confirmEmail(accounts: Accounts, body: Body, { content }: AccountCall): Promise<Session> {
  const { confirmation } = readTexts(body, { confirmation: ['required'] }, 'ignored');
  const user = await changeStoredUser(
    content,
    { confirmationToken: hashCode(confirmation) },
    { $set: { confirmed: true, confirmationToken: null } },
  );
  if (user === null) throw validationError('Invalid token');
  return openSession(accounts, user, content);
}

/** Sends the link again. The answer for an unknown address is that of a known one. Throws an ApplicationError. */
export async function resendConfirmation(
  accounts: Accounts,
  body: Body,
  { content }: AccountCall,
): Promise<{ readonly email: string; readonly sent: true }> {
  const address = readTexts(body, { email: ['email', 'required'] }, 'ignored').email.toLowerCase();
  const user = await findStoredUser(content, { email: address });
  if (user === null) return { email: address, sent: true };
  if (user.confirmed) throw applicationError('Already confirmed');
  if (user.blocked) throw applicationError('User blocked');
  await sendConfirmation(accounts, user, content);
  return { email: address, sent: true };
}
