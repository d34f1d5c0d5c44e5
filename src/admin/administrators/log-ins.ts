import { makeCode } from '#accounts/login/passwords.js';
import type { ContentContext } from '#content/content-context.js';
import type { UserTokens } from '#content/rights/user-tokens.js';
import { entryStore } from '#store/write/write-entries.js';
import { collections } from '#model/schema/collections.js';
import { type Administrator, endedIn } from './administrator.js';

type LoggedIn = Pick<Administrator, 'id' | 'tokenVersion'>;

/** Returns the token of a new log-in of an administrator. */
export const beginLogIn = (tokens: UserTokens, { id, tokenVersion }: LoggedIn): string =>
  tokens.sign({ id, tokenVersion, session: makeCode(12) });

/**
 * Returns a new token of the log-in that a token belongs to; null if it names none, as tokens of older services do: no log-out would end
 * a log-in that it begins.
 */
export function renewLogIn(tokens: UserTokens, { id, tokenVersion }: LoggedIn, token: string): string | null {
  const claims = tokens.verify(token);
  const session = typeof claims === 'string' ? null : claims.session;
  return session === null ? null : tokens.sign({ id, tokenVersion, session });
}

interface LogIn {
  /** The id of the administrator. */
  readonly id: number;
  readonly session: string | null;
}

/** Log-ins of an administrator that are remembered as ended. One more ends all of them. */
const mostEnded = 100;

/** Ends all tokens of a log-in of an administrator, those that were renewed too; of every log-in for a token that names none. */
export async function endLogIn({ id, session }: LogIn, { store }: ContentContext): Promise<void> {
  const end = (change: object) => entryStore.update(store, collections.administrators, { match: { _id: id }, change });
  const ended = session === null ? null : await end({ add: { _endedLogIns: session } });
  if (session === null || endedIn(ended ?? {}).length > mostEnded)
    await end({ increase: { _tokenVersion: 1 }, set: { _endedLogIns: [] } });
}
