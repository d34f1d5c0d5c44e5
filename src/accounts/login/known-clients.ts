import type { AccountCall, Accounts } from '../accounts.js';
import { noteOnUser, type StoredUser } from '../user-store.js';
import { clientOf } from '../../limits/client-of.js';

/** Number of clients that are remembered for an account, the last ones that logged in. */
const most = 10;

/**
 * Returns the mark of a client in an account. It is keyed by the secret of the service, because addresses could be found from plain
 * hashes.
 */
const markOf = ({ tokens }: Accounts, { id }: StoredUser, ip: string): string =>
  tokens.derive(`client ${String(id)} ${clientOf(ip)}`).slice(0, 32);

const clientsOf = ({ document }: StoredUser): readonly unknown[] =>
  Array.isArray(document['_clients']) ? document['_clients'] : [];

/** Returns the mark of a client that has logged in to an account before; null for other clients, and if there is no account. */
export function knownClient(accounts: Accounts, user: StoredUser | null, ip: string): string | null {
  if (user === null) return null;
  const mark = markOf(accounts, user, ip);
  return clientsOf(user).includes(mark) ? mark : null;
}

/** Remembers that a client has logged in to an account with a password. Sends no command for a client that is known. */
export async function rememberClient(accounts: Accounts, user: StoredUser, { content, request }: AccountCall): Promise<void> {
  if (accounts.limits === null || user.password === null) return;
  const mark = markOf(accounts, user, request.ip);
  const clients = clientsOf(user);
  if (!clients.includes(mark))
    await noteOnUser(content, { _id: user.id }, { set: { _clients: [...clients, mark].slice(-most) } });
}
