import { hash } from 'bcrypt';
import type { Db, Document } from 'mongodb';
import { storedCode } from '../../../src/accounts/login/passwords.js';
import { settingsId } from '../../../src/content/rights/account-settings.js';
import { hashKey } from '../../../src/content/rights/api-token.js';
import type { Model } from '../../../src/model/schema/model.js';
import { insertEntries } from '../../insert-entries.js';
import type { Content, RoleSetup, Setup, TokenSetup, UserFixture } from './read-content.js';
import { saveAdministrators } from './save-administrators.js';
import { tokenSalt } from './server-config.js';

/** Writes data that a server needs at its start, and data without a route. Entries are created over REST. */
export async function seedDatabase(db: Db, { models, setup, fixtures }: Content): Promise<void> {
  await saveModels(db, models);
  await saveLocales(db, setup.locales);
  await own(db, '_settings').updateOne({ _id: settingsId }, { $set: { advanced: setup.advanced } }, { upsert: true });
  await saveTokens(db, setup.apiTokens);
  await saveAdministrators(db, setup);
  await saveUsers(db, fixtures.users, await saveRoles(db, setup.roles));
}

/** A collection whose documents have texts as ids. */
const own = (db: Db, name: string) => db.collection<Document & { readonly _id: string }>(name);

/** Writes models to `_models`, where the service reads them: the schema.json object with its uid as `_id`. */
async function saveModels(db: Db, models: readonly Model[]): Promise<void> {
  await own(db, '_models').insertMany(models.map(({ uid, ...model }) => ({ _id: uid, ...model })));
}

/** Writes the locales, and which of them is the default one. */
async function saveLocales(db: Db, locales: Setup['locales']): Promise<void> {
  const entries = locales.list.map(({ code, name }) => ({ name, code }));
  await insertEntries(db, 'i18n_locales', entries);
  await own(db, '_settings').insertOne({ _id: 'i18n', defaultLocale: locales.default });
}

/** Writes the API tokens; of the key only its hash is kept. */
export async function saveTokens(db: Db, tokens: readonly TokenSetup[]): Promise<void> {
  const entries = tokens.map(({ name, type, accessKey, permissions = [], expiresAt = null }) => ({
    ...{ name, description: '', type, permissions },
    hash: hashKey(accessKey, tokenSalt),
    lifespan: expiresAt === null ? null : 1,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  }));
  await insertEntries(db, '_tokens', entries);
}

const builtinRoles = [
  { type: 'authenticated', name: 'Authenticated', description: 'Default role given to authenticated user.' },
  { type: 'public', name: 'Public', description: 'Default role given to unauthenticated user.' },
];

/** Writes the roles, the two built-in ones first as in every installation, and what each is granted. Returns their ids by type. */
async function saveRoles(db: Db, roles: readonly RoleSetup[]): Promise<ReadonlyMap<string, number>> {
  const named = roles.filter((role) => !builtinRoles.some(({ type }) => type === role.type));
  const entries = [...builtinRoles, ...named].map(({ type, name = type, description = '' }) => ({ name, description, type }));
  await insertEntries(db, 'up_roles', entries);
  const ids = new Map(entries.map(({ type }, index) => [type, index + 1]));
  const grants = roles.flatMap(({ type, permissions }) => permissions.map((action) => ({ action, role: ids.get(type) ?? null })));
  const ranked = grants.map((grant, index) => ({ ...grant, _ranks: { role: index + 1 } }));
  await insertEntries(db, 'up_permissions', ranked);
  return ids;
}

/** Writes the users with their roles (ids by role type) and hashed passwords. */
async function saveUsers(db: Db, users: readonly UserFixture[], roles: ReadonlyMap<string, number>): Promise<void> {
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
