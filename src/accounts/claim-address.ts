import type { ContentContext } from '../content/content-context.js';
import { claim } from '../mongo/claim.js';
import { findStoredUser } from './user-store.js';

/** Names that a new user would have. */
export interface WantedNames {
  readonly email: string;
  readonly username: string;
  /** Whether users of login providers count as well. */
  readonly anyProvider: boolean;
}

/** Whether another user has the address or the name, crosswise too: either may be typed in at a login. */
export async function isTaken({ email, username, anyProvider }: WantedNames, content: ContentContext): Promise<boolean> {
  const provider = anyProvider ? {} : { provider: 'local' };
  const names = [email, username, username.toLowerCase()];
  const found = await findStoredUser(content, { $or: [{ email: { $in: names } }, { username: { $in: names } }], ...provider });
  return found !== null;
}

/**
 * Runs work that ends in a user with this address while nobody else does the same, on whatever instance. Throws `taken` where
 * somebody does. An index cannot see to it, since addresses need not be unique.
 */
export const claimAddress = <Result>(
  email: string,
  { store }: ContentContext,
  taken: () => Error,
  work: () => Promise<Result>,
): Promise<Result> => claim(store.database, `email ${email}`, { work, busy: taken });
