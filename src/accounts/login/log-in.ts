import { matchesAny } from '../../mongo/matches.js';
import { validationError } from '../../errors.js';
import type { AccountCall, Accounts, Body } from '../accounts.js';
import { readTexts } from '../check-fields.js';
import { isPassword } from './passwords.js';
import { openSession, assertMayLogIn, type Session } from './session.js';
import { findStoredUsers, type StoredUser } from '../user-store.js';
import type { ContentContext } from '../../content/content-context.js';

const fields = { identifier: ['required'], password: ['required'] } as const;

/** Logs a user in by name or e-mail address and password. Throws a ValidationError or an ApplicationError. */
export async function logIn(accounts: Accounts, body: Body, { content }: AccountCall): Promise<Session> {
  const { identifier, password } = readTexts(body, fields, 'ignored');
  const user = await findByIdentifier(identifier, content);
  const isRight = await isPassword(password, user?.password ?? null);
  if (user === null || !isRight) throw validationError('Invalid identifier or password');
  assertMayLogIn(user, (await accounts.authenticator.settings()).advanced);
  return openSession(accounts, user, content);
}

/** By address before name: a name that happens to be the address of somebody else does not stand in the way. */
async function findByIdentifier(identifier: string, content: ContentContext): Promise<StoredUser | null> {
  const email = identifier.toLowerCase();
  const users = await findStoredUsers(
    content,
    { provider: 'local', ...matchesAny({ email }, { username: identifier }) },
    mostAlike,
  );
  return users.find((user) => user.email === email) ?? users[0] ?? null;
}

/** Users that share an address, where the settings let them; the first of them is who may log in by it. */
const mostAlike = 10;
