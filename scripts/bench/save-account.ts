import type { Db } from 'mongodb';
import { insertEntries } from '../insert-entries.js';
import { userTokens } from '../../src/content/rights/user-tokens.js';
import { benchSecrets } from './bench-secrets.js';
import { permissions } from './permissions.js';

const collections = ['up_roles', 'up_permissions', 'up_users'];
const roles = ['authenticated', 'public', 'measured'] as const;
const userId = 1;

/** Writes one user with a role of 50 permissions, in place of all users and roles that there were. */
export async function saveAccount(db: Db): Promise<void> {
  await Promise.all(collections.map((name) => db.collection(name).deleteMany({})));
  const role = roles.length;
  await insertEntries(
    db,
    'up_roles',
    roles.map((type) => ({ name: type, description: '', type })),
  );
  await insertEntries(
    db,
    'up_permissions',
    permissions.map((action, index) => ({ action, role, _ranks: { role: index + 1 } })),
  );
  const account = { username: 'measured', email: 'measured@localhost.test', provider: 'local', confirmed: true, blocked: false };
  await insertEntries(db, 'up_users', [{ ...account, role, _ranks: { role: userId } }]);
}

/** A token of that user, as the login returns them. */
export const signToken = (): string => userTokens(benchSecrets.jwtSecret, '1d').sign({ id: userId, tokenVersion: 0 });
