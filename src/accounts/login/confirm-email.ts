import type { KnownUser } from '#content/rights/caller.js';
import { applicationError, validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import type { AccountCall, Accounts, Body } from '../accounts.js';
import { readTexts } from '../check-fields.js';
import { heldCode, makeCode, storedCode } from './passwords.js';
import { openSession, type Session } from './session.js';
import { changeStoredUser, findStoredUser, type StoredUser } from '../user-store.js';

/** Length of a confirmation code in bytes, as in Strapi v4. */
const codeBytes = 20;

/** A code that confirms an e-mail address. */
interface Confirmation {
  readonly code: string;
  /** The stored form of the code, in the attribute `confirmationToken`. */
  readonly stored: string;
}

/** Creates a code that confirms an e-mail address. It expires after the configured time. */
export function makeConfirmation({ config }: Pick<Accounts, 'config'>): Confirmation {
  const code = makeCode(codeBytes);
  return { code, stored: storedCode(code, config.plugins['users-permissions'].config.codes.confirmation) };
}

/** Sends a link that confirms the address of a user, after the answer. Earlier links stop working. */
export function sendConfirmation(accounts: Accounts, user: StoredUser, content: ContentContext): void {
  const { code, stored } = makeConfirmation(accounts);
  mailConfirmation(accounts, user, async () => {
    await changeStoredUser(content, { _id: user.id }, { set: { confirmationToken: stored } });
    return code;
  });
}

/** Sends a confirmation link, after the answer. The code must be stored when the function returns it. */
export function mailConfirmation({ config, address, mailer }: Accounts, user: KnownUser, codeOf: () => Promise<string>): void {
  const values = async () => {
    const code = await codeOf();
    return { URL: `${address.url}${config.api.rest.prefix}/auth/email-confirmation`, CODE: code };
  };
  mailer.post({ template: 'email_confirmation', user, values });
}

/**
 * Confirms the address that a code was sent to. A code works once, until it expires. Throws a ValidationError if the code is
 * invalid.
 */
export async function confirmEmail(accounts: Accounts, body: Body, call: AccountCall): Promise<Session> {
  const { content } = call;
  const { confirmation } = readTexts(body, { confirmation: ['required'] }, 'ignored');
  const user = await changeStoredUser(
    content,
    { confirmationToken: heldCode(confirmation) },
    { set: { confirmed: true, confirmationToken: null, _chosenEmail: false } },
  );
  if (user === null) throw validationError('Invalid token');
  return openSession(accounts, user, call);
}

/** Returns whether answers must not tell who is registered. In production they do only if `hideAccounts` is false. */
const hidesAccounts = ({ environment, plugins }: Accounts['config']): boolean =>
  plugins['users-permissions'].config.hideAccounts ?? environment === 'production';

/**
 * Sends the confirmation link again, after the answer. Known and unknown addresses get the same answer in the same time. Throws
 * an ApplicationError if the address is confirmed or its user is blocked, unless accounts are hidden.
 */
export async function resendConfirmation(
  accounts: Accounts,
  body: Body,
  { content }: AccountCall,
): Promise<{ readonly email: string; readonly sent: true }> {
  const address = readTexts(body, { email: ['email', 'required'] }, 'ignored').email.toLowerCase();
  const user = await findStoredUser(content, { email: address });
  if (user === null || (hidesAccounts(accounts.config) && (user.confirmed || user.blocked)))
    return { email: address, sent: true };
  if (user.confirmed) throw applicationError('Already confirmed');
  if (user.blocked) throw applicationError('User blocked');
  sendConfirmation(accounts, user, content);
  return { email: address, sent: true };
}
