import type { Db } from 'mongodb';
import { insertEntries } from './insert-entries.js';
import type { RoleSetup } from './read-content.js';

/**
 * Writes the roles, the two built-in ones first as in every installation, and what each is granted. Returns their ids by type.
 */
export async function saveRoles(db: Db, roles: readonly RoleSetup[]): Promise<ReadonlyMap<string, number>> {
  const named = roles.filter((role) => !builtinRoles.some(({ type }) => type === role.type));
  const all = [...builtinRoles, ...named];
  await insertEntries(
    db,
    'up_roles',
    all.map(({ type, name = type, description = '' }) => ({ name, description, type })),
  );
  const ids = new Map(all.map(({ type }, index) => [type, index + 1]));
  const grants = roles.flatMap(({ type, permissions }) => permissions.map((action) => ({ action, role: ids.get(type) ?? null })));
  await insertEntries(
    db,
    'up_permissions',
    grants.map((grant, index) => ({ ...grant, _ranks: { role: index + 1 } })),
  );
  return ids;
}

const builtinRoles = [
  { type: 'authenticated', name: 'Authenticated', description: 'Default role given to authenticated user.' },
  { type: 'public', name: 'Public', description: 'Default role given to unauthenticated user.' },
];
