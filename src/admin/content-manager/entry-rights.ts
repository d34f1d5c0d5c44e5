import { findOne } from '#content/find-one.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor, type EntryAction } from '../rights/content-access.js';
import { permissionsFor } from '../rights/rights.js';

export const idQuery: Query = { ...emptyQuery, fields: ['id'] };

/**
 * Returns the call with the permissions that hold for an entry: of two that name different fields under different conditions, only those
 * count whose conditions it meets, each for the fields of all of them. If it meets none, the call is returned as it is; it then does not
 * find the entry.
 */
export async function callOnEntry(
  { type, id }: EntryKey,
  { call, action }: { readonly call: PanelCall; readonly action: EntryAction },
): Promise<PanelCall> {
  const { rights } = call;
  const permissions = permissionsFor(rights, `${explorer}.${action}`, type.uid);
  if (rights.isSuper || permissions.length < 2) return call;
  const others = rights.permissions.filter((permission) => !permissions.includes(permission));
  const withOnly = (kept: typeof permissions): PanelCall => ({
    ...call,
    rights: { ...rights, permissions: [...others, ...kept] },
  });
  const found = await Promise.all(
    permissions.map((one) => findOne(type, id, idQuery, contentFor(withOnly([one]), action, type))),
  );
  const met = permissions.filter((_, index) => (found[index] ?? null) !== null);
  const fields = met.flatMap(({ properties }) => properties.fields ?? []);
  return met.length === 0 ? call : withOnly(met.map((one) => ({ ...one, properties: { ...one.properties, fields } })));
}
