import { type ContentType, type Registry, servedAs } from '#model/schema/content-type.js';
import { collections } from '#model/schema/collections.js';
import { servedFilter, servedPath } from '#model/schema/served-names.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { is } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { findStored } from '../stored.js';

/**
 * Stores the rules of roles, and the permissions of administrators, under the names of attributes that are served. Both names of a
 * renamed attribute mean the same as long as the model has `renamedFrom`; the former one would name nothing when it is removed.
 * Idempotent.
 */
export async function nameRules(registry: Registry, database: Database): Promise<void> {
  await nameInRoles(registry, database);
  await nameInPermissions(registry, database);
}

async function nameInRoles(registry: Registry, database: Database): Promise<void> {
  const roles = database.db.collection(collections.roles);
  for (const { _id, _rules: rules } of await findStored(database, collections.roles, { match: { _rules: is.otherThan(null) } })) {
    if (!isRecord(rules)) continue;
    const { fields, rows } = rules;
    const changed = {
      ...rules,
      ...(isRecord(fields) && { fields: mapValues(fields, (rule, uid) => servedFields(rule, registry.types.get(uid))) }),
      ...(isRecord(rows) && { rows: mapValues(rows, (rule, uid) => servedFilter(rule, registry.types.get(uid), registry)) }),
    };
    if (JSON.stringify(changed) === JSON.stringify(rules)) continue;
    const match = { _id: _id as never, _rules: is.exactly(rules) };
    await inWriteTime(database, () => roles.updateOne(match, { $set: { _rules: changed } }));
  }
}

/** Returns a rule for fields, which lists them in `allow` or `deny`. */
const servedFields = (rule: unknown, type: ContentType | undefined): unknown =>
  isRecord(rule) && type !== undefined
    ? mapValues(rule, (names) => (Array.isArray(names) ? [...new Set(names.map((name) => servedAs(type, String(name))))] : names))
    : rule;

async function nameInPermissions(registry: Registry, database: Database): Promise<void> {
  const permissions = database.db.collection(collections.adminPermissions);
  const match = { 'properties.fields': is.otherThan(null) };
  for (const { _id, subject, properties } of await findStored(database, collections.adminPermissions, { match })) {
    const type = registry.types.get(String(subject));
    const fields = isRecord(properties) ? (properties as Values)['fields'] : null;
    if (type === undefined || !Array.isArray(fields)) continue;
    const changed = [...new Set(fields.map((path) => servedPath(String(path), type, registry)))];
    if (JSON.stringify(changed) === JSON.stringify(fields)) continue;
    const same = { _id: _id as never, 'properties.fields': fields };
    await inWriteTime(database, () => permissions.updateOne(same, { $set: { 'properties.fields': changed } }));
  }
}
