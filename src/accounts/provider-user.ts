import { create } from '../content/create.js';
import type { ContentContext } from '../content/content-context.js';
import { applicationError, validationError } from '../errors.js';
import { loginStateStore } from '../mongo/login-state-store.js';
import { emptyQuery } from '../query/ast.js';
import type { Accounts } from './accounts.js';
import { claimAddress } from './claim-address.js';
import type { Identity } from './login-provider.js';
import { refuseKeptOut } from './refuse-kept-out.js';
import { hashCode, makeCode } from './secret-code.js';
import { openSession, type Session } from './session.js';
import { asService, changeStoredUser, findStoredUser, userType, type StoredUser } from './user-store.js';

/** The user that an identity belongs to, registered if it is not there yet (rest.md 11.2). Throws an ApplicationError. */
export async function providerUser(accounts: Accounts, identity: Identity, content: ContentContext): Promise<StoredUser> {
  const { advanced } = await accounts.authenticator.settings();
  const user = (await findKnown(identity, content)) ?? (await registerIdentity(accounts, identity, content));
  refuseKeptOut(user, advanced);
  return user;
}

/**
 * By the provider's own id; by address only where that id was never learnt, as for users that were brought along, and where the
 * provider has verified it: with some, users may claim any address.
 */
async function findKnown(
  { provider, subject, email, isVerified }: Identity,
  content: ContentContext,
): Promise<StoredUser | null> {
  const known = await findStoredUser(content, { provider, _subject: subject });
  if (known !== null || !isVerified) return known;
  const match = { provider, email, _subject: { $exists: false } };
  return changeStoredUser(content, match, { $set: { _subject: subject } });
}

async function registerIdentity(accounts: Accounts, identity: Identity, content: ContentContext): Promise<StoredUser> {
  const { advanced } = await accounts.authenticator.settings();
  if (!advanced.allow_register) throw applicationError('Register action is actually not available.');
  const role = (await accounts.authenticator.roles()).byType.get(advanced.default_role);
  if (role === undefined) throw applicationError('Impossible to find the default role');
  const { provider, subject, email } = identity;
  const taken = () => applicationError('Email is already taken.');
  return claimAddress(email, content, taken, async () => {
    const others = advanced.unique_email ? { email } : { email, provider };
    if ((await findStoredUser(content, others)) !== null) throw taken();
    const data = { username: await freeName(identity, content), email, provider, role: role.id, confirmed: true };
    const { document } = await create(userType(content), data, emptyQuery, asService(content));
    const user = await changeStoredUser(content, { _id: document['_id'] }, { $set: { _subject: subject } });
    if (user === null) throw taken(); // deleted in the same moment
    return user;
  });
}

/** The name at the provider, with something behind it where another user has it. */
async function freeName({ name }: Identity, content: ContentContext): Promise<string> {
  const long = name.padEnd(3, '_');
  return (await findStoredUser(content, { username: long })) === null ? long : `${long}-${makeCode(4)}`;
}

/** A code that the browser brings to the callback, where it is exchanged for a session, once. */
export async function makeExchangeCode(user: StoredUser, provider: string, content: ContentContext): Promise<string> {
  const code = makeCode(32);
  const value: Exchange = { user: user.id, provider };
  const expiresAt = new Date(Date.now() + 60_000);
  await loginStateStore<Exchange>(content.store.database).put({ _id: hashCode(code), value, expiresAt });
  return code;
}

interface Exchange {
  readonly user: number;
  readonly provider: string;
}

/** The session for such a code. Throws a ValidationError. */
export async function exchangeCode(
  accounts: Accounts,
  provider: string,
  code: string,
  content: ContentContext,
): Promise<Session> {
  const exchange = await loginStateStore<Exchange>(content.store.database).take(hashCode(code));
  const user = exchange?.provider === provider ? await findStoredUser(content, { _id: exchange.user }) : null;
  if (user === null) throw validationError('Invalid callback URL provided');
  refuseKeptOut(user, (await accounts.authenticator.settings()).advanced);
  return openSession(accounts, user, content);
}
