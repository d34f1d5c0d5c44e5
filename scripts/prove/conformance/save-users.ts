import { hash } from 'bcrypt';
import { storedCode } from '../../../src/accounts/login/passwords.js';
import type { Db } from 'mongodb';
import { insertEntries } from './insert-entries.js';
import type { UserFixture } from './read-content.js';

/** Writes the users with their roles (ids by role type) and hashed passwords. */
export async function saveUsers(db: Db, users: readonly UserFixture[], roles: ReadonlyMap<string, number>): Promise<void> {
  const passwords = [...new Set(users.map(({ data }) => data.password))];
  const hashes = new Map(await Promise.all(passwords.map(async (password) => [password, await hash(password, 10)] as const)));
  const entries = users.map(({ data }, index) => ({
    ...data,
    resetPasswordToken: stored(data['resetPasswordToken']),
    confirmationToken: stored(data['confirmationToken']),
    password: hashes.get(data.password),
    role: roles.get(data.role) ?? null,
    _ranks: { role: index + 1 },
  }));
  await insertEntries(db, 'up_users', entries);
}

/** The codes of the recordings hold as long as the server runs. */
const stored = (code: unknown): string | null => (typeof code === 'string' ? storedCode(code, 86_400) : null);
