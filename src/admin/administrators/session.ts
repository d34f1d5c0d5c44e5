import { knownClient, withClient } from '#accounts/login/known-clients.js';
import { heldCode, isPassword, makeCode, storedCode } from '#accounts/login/passwords.js';
import { applicationError, validationError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf, parameterOf } from '#http/route-request.js';
import { tooManyAttempts } from '#base/limits/attempts.js';
import { clientOf } from '#base/limits/client-of.js';
import { exceeding } from '#base/limits/exceeded.js';
import { is } from '#store/form/matches.js';
import { entryStore } from '#store/write/write-entries.js';
import { collections } from '#model/schema/collections.js';
import { isSignOnOnly } from '../sso/settings.js';
import { checkPanelBody, object, string } from '../check-body.js';
import {
  administratorOfToken,
  answerData,
  bearerOf,
  type OpenPanelCall,
  type PanelCall,
  type PanelRoutes,
} from '../panel-route.js';
import { findAdministrator, shownAdministrator, type Administrator } from './administrator.js';
import { beginLogIn, endLogIn, renewLogIn } from './log-ins.js';
import { changeAdministrator, fields, registration } from './write-administrator.js';

/** The routes of log-ins, registrations by invitation, and forgotten passwords. */
export const sessionRoutes: PanelRoutes = {
  'POST /admin/login': { right: 'nobody', handle: logIn, changes: 'nothing' },
  'POST /admin/renew-token': { right: 'nobody', handle: renewToken, changes: 'nothing' },
  'POST /admin/logout': { right: 'logged in', handle: logOut, changes: 'nothing' },
  'GET /admin/registration-info': { right: 'nobody', handle: registrationInfo },
  'POST /admin/register': { right: 'nobody', handle: register },
  'POST /admin/forgot-password': { right: 'nobody', handle: forgotPassword, changes: 'nothing' },
  'POST /admin/reset-password': { right: 'nobody', handle: resetPassword },
};

async function logIn(call: OpenPanelCall): Promise<Answer> {
  const administrator = await checkLogIn(call);
  return answerData({ token: beginLogIn(call.panel.tokens, administrator), user: administrator.profile });
}

/** Ends the log-in, with all tokens that were renewed in it. */
async function logOut({ request, panel, content }: PanelCall): Promise<Answer> {
  const claims = panel.tokens.verify(bearerOf(request));
  if (typeof claims !== 'string') await endLogIn(claims, content);
  return answerData({});
}

/**
 * Returns the administrator whose e-mail address and password the body has, and counts the attempt. Throws an ApplicationError for
 * wrong ones and for administrators who are not active, and a RateLimitError for too many attempts.
 */
export async function checkLogIn(call: OpenPanelCall): Promise<Administrator> {
  const { request, content, panel } = call;
  refusePasswords(call);
  const { email, password } = bodyOf(request);
  await countAttempt('login', email, call);
  if (!isGiven(email) || !isGiven(password)) throw applicationError('Missing credentials');
  const identifier = typeof email === 'string' ? email.toLowerCase() : '';
  const administrator = await findAdministrator(content.store.database, { email: is.exactly(identifier) });
  const { ip, requestId } = request;
  const guess = {
    of: 'administrator',
    identifier,
    ip,
    requestId,
    clientMark: knownClient(panel.tokens, administrator, ip),
  } as const;
  await panel.guesses?.admitGuess(guess);
  const isRight = await isPassword(typeof password === 'string' ? password : '', administrator?.password ?? null);
  if (administrator === null || !isRight || administrator.signsOn) throw applicationError('Invalid credentials');
  await panel.guesses?.forgiveGuess(guess);
  if (!administrator.isActive || administrator.blocked) throw applicationError('User not active');
  await rememberClient(administrator, call);
  return administrator;
}

/** Throws an ApplicationError if administrators log in by single sign-on alone. */
export function refusePasswords({ running }: OpenPanelCall): void {
  if (isSignOnOnly(running.config)) throw applicationError('Log-ins by password are switched off. Use single sign-on.');
}

/** Remembers that a client has logged in to an account, or set its password. Sends no command for a client that is known. */
export async function rememberClient(administrator: Administrator, { request, content, panel }: OpenPanelCall): Promise<void> {
  const set = panel.guesses === null ? null : withClient(panel.tokens, administrator, request.ip);
  if (set === null) return;
  const update = { match: { _id: administrator.id }, change: { set } };
  await entryStore.update(content.store, collections.administrators, update);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * Counts an attempt of a client, with an e-mail address if there is one. The key that the client cannot change comes first, so that it
 * cannot store any number of counts. Throws a RateLimitError for too many.
 */
export async function countAttempt(
  kind: string,
  email: unknown,
  { request, panel }: Pick<OpenPanelCall, 'request' | 'panel'>,
): Promise<void> {
  if (panel.logins === null) return;
  const client = `admin-${kind}:${clientOf(request.ip)}`;
  const account = typeof email === 'string' ? email.toLowerCase().slice(0, 320) : '-';
  const { logins } = panel;
  for (const [limiter, key] of [
    [logins.client, `*:${client}`],
    [logins.account, `${account}:${client}`],
  ] as const) {
    const attempt = await limiter.count(key, 1, request.requestId);
    if (attempt.isOver) throw exceeding('admin.rateLimit', tooManyAttempts(attempt));
  }
}

/**
 * Renews a token that is still valid. Only wrong ones are counted, because the panel renews its token on each load of a page. With
 * single sign-on it stays the same: when it ends, the provider is asked again whether its holder may come in.
 */
async function renewToken({ request, panel, running }: OpenPanelCall): Promise<Answer> {
  const { token } = await checkPanelBody(object({ token: string().required() }), bodyOf(request));
  const administrator = await administratorOfToken(token, panel);
  if (administrator === null) {
    await countAttempt('renew-token', null, { request, panel });
    throw validationError('Invalid token');
  }
  const isKept = administrator.signsOn || isSignOnOnly(running.config);
  const renewed = isKept ? token : renewLogIn(panel.tokens, administrator, token);
  if (renewed === null) throw validationError('Invalid token');
  return answerData({ token: renewed });
}

/** Answers a log-in after a registration or a new password. */
export async function openSession(administrator: Administrator, call: OpenPanelCall): Promise<Answer> {
  await rememberClient(administrator, call);
  return answerData({ token: beginLogIn(call.panel.tokens, administrator), user: shownAdministrator(administrator) });
}

async function registrationInfo({ request, content }: OpenPanelCall): Promise<Answer> {
  const given = { registrationToken: parameterOf(request, 'registrationToken') };
  const { registrationToken } = await checkPanelBody(object({ registrationToken: string().required() }), given);
  const invited = await findAdministrator(content.store.database, { registrationToken: heldCode(registrationToken) });
  if (invited === null) throw validationError('Invalid registrationToken');
  const { email, firstname, lastname } = invited;
  return answerData({ email, firstname, lastname });
}

const acceptance = object({
  registrationToken: string().required(),
  userInfo: registration.omit(['email']).required(),
}).noUnknown();

async function register(call: OpenPanelCall): Promise<Answer> {
  const { request, content } = call;
  refusePasswords(call);
  const { registrationToken, userInfo } = await checkPanelBody(acceptance, bodyOf(request));
  await countAttempt('register', null, call);
  const { firstname, lastname = null, password } = userInfo;
  const values = { firstname, lastname, password, registrationToken: null, isActive: true };
  const match = { registrationToken: heldCode(registrationToken), password: null };
  const registered = await changeAdministrator(match, values, content, request.sender);
  if (registered === null) throw validationError('Invalid registration info');
  return openSession(registered, call);
}

/** Sends a code to an active administrator. The answer does not tell whether there is one. */
async function forgotPassword(call: OpenPanelCall): Promise<Answer> {
  const { request, content, panel } = call;
  refusePasswords(call);
  const { email } = await checkPanelBody(object({ email: string().email().required() }).noUnknown(), bodyOf(request));
  await countAttempt('forgot-password', email, { request, panel });
  const administrator = await findAdministrator(content.store.database, { email: is.exactly(email.toLowerCase()) });
  if (administrator?.isActive === true && !administrator.signsOn) void sendCode(administrator, call);
  return { status: 204 };
}

/** Seconds for which a code for a new password is valid. */
const codeLifetime = 3_600;

/** Stores a code for a new password and sends it. Not awaited, so that the time of the answer tells nothing. Failures are logged. */
async function sendCode({ id, email }: Administrator, { running, content }: OpenPanelCall): Promise<void> {
  const { accounts } = running;
  if (accounts === null) return;
  if ((await accounts.limits?.admitMail('admin-forgot-password', email)) === false) return;
  const code = makeCode(20);
  const link = `${accounts.address.adminUrl}/admin/auth/reset-password?code=${code}`;
  try {
    await changeAdministrator({ _id: id }, { resetPasswordToken: storedCode(code, codeLifetime) }, content);
    const text = `Somebody has asked for a new password of your account in the admin panel. Choose one here, within an hour:\n\n${link}\n`;
    await accounts.mailer.deliver({ to: email, subject: 'Reset password', text });
  } catch (err) {
    const text = 'the e-mail with a code for a new password of an administrator was not sent';
    accounts.observer.observe({ kind: 'mail failed', text, about: { err } });
  }
}

const reset = object({ resetPasswordToken: string().required(), password: fields.password().required() }).noUnknown();

async function resetPassword(call: OpenPanelCall): Promise<Answer> {
  const { request, content } = call;
  refusePasswords(call);
  const { resetPasswordToken, password } = await checkPanelBody(reset, bodyOf(request));
  await countAttempt('reset-password', null, call);
  const match = { resetPasswordToken: heldCode(resetPasswordToken), isActive: true };
  const changed = await changeAdministrator(match, { password, resetPasswordToken: null }, content, request.sender);
  if (changed === null) throw applicationError('An application error occured');
  return openSession(changed, call);
}
