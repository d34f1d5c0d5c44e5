import type { UserTokens } from '#content/rights/user-tokens.js';
import { clientOf } from '#base/limits/client-of.js';
import type { Document } from '#store/send/database.js';
import type { AccountCall, Accounts } from '../accounts.js';
import { noteOnUser, type StoredUser } from '../user-store.js';

/** Number of clients that are remembered for an account, the last ones that logged in. */
const most = 10;

/** A user or an administrator. */
interface Account {
  readonly id: number;
  readonly document: Document;
}

/**
 * Returns the mark of a client in an account. It is keyed by the secret of the service, because addresses could be found from plain
 * hashes.
 */
const markOf = (tokens: UserTokens, { id }: Account, ip: string): string =>
  tokens.derive(`client ${String(id)} ${clientOf(ip)}`).slice(0, 32);

const clientsOf = ({ document }: Account): readonly unknown[] =>
  Array.isArray(document['_clients']) ? document['_clients'] : [];

/** Returns the mark of a client that has logged in to an account before; null for other clients, and if there is no account. */
export function knownClient(tokens: UserTokens, account: Account | null, ip: string): string | null {
  if (account === null) return null;
  const mark = markOf(tokens, account, ip);
  return clientsOf(account).includes(mark) ? mark : null;
}

/** Returns the values to store after a client has logged in to an account; null if it is known. */
export function withClient(tokens: UserTokens, account: Account, ip: string): { readonly _clients: readonly unknown[] } | null {
  const mark = markOf(tokens, account, ip);
  const clients = clientsOf(account);
  return clients.includes(mark) ? null : { _clients: [...clients, mark].slice(-most) };
}

/** Remembers that a client has logged in to an account with a password. Sends no command for a client that is known. */
export async function rememberClient(
  { limits, tokens }: Accounts,
  user: StoredUser,
  { content, request }: AccountCall,
): Promise<void> {
  if (limits === null || user.password === null) return;
  const set = withClient(tokens, user, request.ip);
  if (set !== null) await noteOnUser(content, { _id: user.id }, { set });
}
