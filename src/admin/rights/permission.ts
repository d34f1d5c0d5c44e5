import type { Database, Document } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { collections } from '#model/schema/collections.js';
import { appendTo, isRecord } from '#base/values.js';

/** Where a permission applies. Absent lists do not restrict it. */
export interface PermissionProperties {
  /** Attributes of the subject; those inside components by their path, such as `seo.metaTitle`. */
  readonly fields?: readonly string[];
  /** Codes of locales. */
  readonly locales?: readonly string[];
}

/** What a role of administrators may do. */
export interface PanelPermission {
  readonly id: number;
  /** Such as `plugin::content-manager.explorer.read`. */
  readonly action: string;
  readonly actionParameters: object;
  /** The uid of a content type; null for actions without a subject. */
  readonly subject: string | null;
  readonly properties: PermissionProperties;
  /** Names of conditions, such as `admin::is-creator`; at least one must hold. */
  readonly conditions: readonly string[];
}

/** Returns each text of a list once. */
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? [...new Set(value.filter((item) => typeof item === 'string'))] : [];

/** Returns the properties in a stored value or a body; those of another form are left out. */
export function propertiesOf(value: unknown): PermissionProperties {
  if (!isRecord(value)) return {};
  const { fields, locales } = value;
  return {
    ...(Array.isArray(fields) && { fields: textsIn(fields) }),
    ...(Array.isArray(locales) && { locales: textsIn(locales) }),
  };
}

export const permissionOf = (document: Document): PanelPermission => ({
  id: Number(document['_id']),
  action: String(document['action']),
  actionParameters: isRecord(document['actionParameters']) ? document['actionParameters'] : {},
  subject: typeof document['subject'] === 'string' ? document['subject'] : null,
  properties: propertiesOf(document['properties']),
  conditions: textsIn(document['conditions']),
});

/** Reads all permissions, by the id of their role. */
export async function readPermissions(database: Database): Promise<ReadonlyMap<number, readonly PanelPermission[]>> {
  const byRole = new Map<number, PanelPermission[]>();
  for (const document of await findStored(database, collections.adminPermissions, { sort: { _id: 1 } }))
    appendTo(byRole, Number(document['role']), permissionOf(document));
  return byRole;
}
