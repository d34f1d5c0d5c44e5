import { validationError } from '../errors.js';
import type { AccountCall, Accounts, Body } from './accounts.js';
import { readTexts } from './check-fields.js';
import { isPassword } from './passwords.js';
import { refuseKeptOut } from './refuse-kept-out.js';
import { openSession, type Session } from './session.js';
import { findStoredUser } from './user-store.js';

const fields = { identifier: ['required'], password: ['required'] } as const;

/** Logs a user in by name or e-mail address and password (rest.md 11.2). Throws a ValidationError or an ApplicationError. */
export async function logIn(accounts: Accounts, body: Body, { content }: AccountCall): Promise<Session> {
  const { identifier, password } = readTexts(body, fields, 'ignored');
  const user = await findStoredUser(content, {
    provider: 'local',
    $or: [{ email: identifier.toLowerCase() }, { username: identifier }],
  });
  const isRight = await isPassword(password, user?.password ?? null);
  if (user === null || !isRight) throw validationError('Invalid identifier or password');
  refuseKeptOut(user, (await accounts.authenticator.settings()).advanced);
  return openSession(accounts, user, content);
}
