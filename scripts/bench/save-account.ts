import type { Db } from 'mongodb';
import { insertEntries } from '../prove/conformance/insert-entries.js';
import { saveRoles } from '../prove/conformance/save-roles.js';
import { userTokens } from '../../src/content/rights/user-tokens.js';
import { benchSecrets } from './bench-secrets.js';
import { permissions } from './permissions.js';

const collections = ['up_roles', 'up_permissions', 'up_users'];
const type = 'measured';
const userId = 1;

/** Writes one user with a role of 50 permissions, in place of all users and roles that there were. */
export async function saveAccount(db: Db): Promise<void> {
  await Promise.all(collections.map((name) => db.collection(name).deleteMany({})));
  const roles = await saveRoles(db, [{ type, permissions }]);
  const account = { username: 'measured', email: 'measured@localhost.test', provider: 'local', confirmed: true, blocked: false };
  await insertEntries(db, 'up_users', [{ ...account, role: roles.get(type) ?? null, _ranks: { role: userId } }]);
}

/** A token of that user, as the login returns them. */
export const signToken = (): string => userTokens(benchSecrets.jwtSecret, '1d').sign({ id: userId, tokenVersion: 0 });
