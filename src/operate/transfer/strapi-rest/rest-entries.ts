import { enabledActions } from '#accounts/roles/permission-tree.js';
import { roleUid, userUid } from '#accounts/user-store.js';
import { viewPrefix } from '#store/stores/code-store.js';
import type { TransferredLink } from '../../raw/transferred.js';
import { uploadFile } from '#model/schema/content-type.js';
import { isRecord, recordIn, recordsIn, type Values } from '#base/values.js';
import { sizeOf, type TransferRecord } from '../source.js';
import type { RestClient } from './rest-client.js';

/** Attributes by uid of the content type or component, as the service describes them. */
export type Shapes = ReadonlyMap<string, Readonly<Record<string, Values>>>;

/** Returns the models that a service shows with the token. Throws an Error if there are none. */
export async function readSchemas(client: RestClient, kind: 'content-types' | 'components'): Promise<readonly Values[]> {
  const answer = await client.get(`/content-type-builder/${kind}`);
  const found = isRecord(answer) ? recordsIn(answer['data']) : [];
  if (found.length === 0 && kind === 'content-types')
    throw new Error(`${client.base} shows no models: the token must be one for full access`);
  return found.flatMap(({ uid, schema }) => {
    if (!isRecord(schema) || typeof uid !== 'string' || !isRecord(schema['attributes'])) return [];
    const { draftAndPublish, displayName, singularName, pluralName, description, ...rest } = schema;
    return [{ ...rest, uid, info: { displayName, singularName, pluralName, description }, options: { draftAndPublish } }];
  });
}

/** Returns the parts of the content that the API does not show, with the reasons. */
export function notesOn(shapes: Shapes): Map<string, string> {
  const notes = new Map([[userUid, 'passwords are not part of REST: users set new ones']]);
  for (const [uid, attributes] of shapes)
    for (const [name, attribute] of Object.entries(attributes)) {
      const reason = hiddenReason(uid, attribute);
      if (reason !== null) notes.set(`${uid} ${name}`, reason);
    }
  return notes;
}

function hiddenReason(uid: string, attribute: Values): string | null {
  if (!uid.startsWith('api::') && uid.includes('::')) return null;
  if (attribute['private'] === true || attribute['type'] === 'password') return 'private values are not part of REST';
  return isPolymorphic(attribute) ? 'polymorphic relations are not part of REST' : null;
}

/** An entry in an answer. */
export interface RestRow {
  readonly type: string;
  readonly id: number;
  readonly values: Values;
  /** Approximate size in the answer, in bytes. */
  readonly bytes: number;
}

/** Returns the entry for values that include the id. */
export const toRow = (type: string, values: Values): RestRow => ({
  type,
  id: Number(values['id']),
  values,
  bytes: sizeOf(values),
});

/**
 * The links that an attribute owns: those of a relation or of files. Null for other attributes, such as the other side of a
 * relation, which shows the same links.
 */
type Owned = { readonly kind: 'link'; readonly target: string } | { readonly kind: 'media' } | null;

function ownedLink({ type, target, mappedBy, relation }: Values): Owned {
  if (type === 'media') return { kind: 'media' };
  if (type !== 'relation' || typeof target !== 'string' || typeof mappedBy === 'string') return null;
  return /^morph/.test(String(relation)) || target.startsWith('admin::') ? null : { kind: 'link', target };
}

/** Returns whether an attribute is a relation to several types. The API does not show the types of such entries. */
const isPolymorphic = ({ type, relation }: Values): boolean => type === 'relation' && /^morphTo/.test(String(relation));

const deepest = 8;

/**
 * Returns the parameters that populate the whole content of an entry: components at any depth, and only the ids of related
 * entries.
 */
export function populateOf(uid: string, shapes: Shapes, path = 'populate', depth = 0): readonly string[] {
  return Object.entries(shapes.get(uid) ?? {}).flatMap(([name, attribute]) => {
    const own = `${path}[${name}]`;
    if (ownedLink(attribute) !== null) return [`${own}[fields][0]=id`];
    if (depth === deepest) return [];
    if (attribute['type'] === 'component') return componentPaths(String(attribute['component']), own, shapes, depth);
    if (attribute['type'] !== 'dynamiczone' || !Array.isArray(attribute['components'])) return [];
    return attribute['components'].flatMap((component) =>
      componentPaths(String(component), `${own}[on][${String(component)}]`, shapes, depth),
    );
  });
}

function componentPaths(uid: string, path: string, shapes: Shapes, depth: number): readonly string[] {
  const inner = populateOf(uid, shapes, `${path}[populate]`, depth + 1);
  return inner.length === 0 ? [`${path}=true`] : inner;
}

/** Returns the links that an entry and its components own, from an answer to a request with the parameters of `populateOf`. */
function linksIn(uid: string, id: number, values: Values, shapes: Shapes): readonly TransferredLink[] {
  return Object.entries(shapes.get(uid) ?? {}).flatMap(([field, attribute]) => {
    const owned = ownedLink(attribute);
    const value = values[field];
    if (owned !== null)
      return idsIn(value).map((target, index) => linkTo(owned, { type: uid, id, field, position: index + 1 }, target));
    if (attribute['type'] !== 'component' && attribute['type'] !== 'dynamiczone') return [];
    return [value].flat().flatMap((part: unknown) => {
      if (!isRecord(part)) return [];
      return linksIn(String(part['__component'] ?? attribute['component']), Number(part['id']), part, shapes);
    });
  });
}

/** Returns the links of an entry and of its components, with those to its other locales, which no attribute of its model shows. */
export function linksOf(type: string, id: number, values: Values, shapes: Shapes): readonly TransferredLink[] {
  const others = shapes.get(type)?.['localizations'] === undefined ? idsIn(values['localizations']) : [];
  const siblings = others.map((other) => ({
    isMorph: false,
    left: { type, id, field: 'localizations', position: null },
    right: { type, id: other, field: null, position: null },
  }));
  return [...linksIn(type, id, values, shapes), ...siblings];
}

function linkTo(owned: Exclude<Owned, null>, own: TransferredLink['left'], id: number): TransferredLink {
  const position = null;
  if (owned.kind === 'media') return { isMorph: true, left: { type: uploadFile, id, field: 'related', position }, right: own };
  return { isMorph: false, left: own, right: { type: owned.target, id, field: null, position } };
}

/** Returns the ids of related entries, which are in `data`, or directly in the value for users and files. */
function idsIn(value: unknown): readonly number[] {
  const list = isRecord(value) && 'data' in value ? value['data'] : value;
  return [list].flat().flatMap((one: unknown) => (isRecord(one) && Number.isSafeInteger(one['id']) ? [Number(one['id'])] : []));
}

export const permissionUid = 'plugin::users-permissions.permission';

/** Reads roles in the order of their ids. */
export async function* readRoles(client: RestClient): AsyncGenerator<RestRow> {
  const answer = await client.get('/users-permissions/roles');
  const roles = isRecord(answer) ? recordsIn(answer['roles']) : [];
  yield* roles.map((role) => toRow(roleUid, role)).sort((one, other) => one.id - other.id);
}

/** Reads the permissions of roles. They are numbered in the order of reading. */
export async function* readPermissions(client: RestClient): AsyncGenerator<RestRow> {
  let number = 0;
  for await (const { id } of readRoles(client)) {
    const detail = await client.get(`/users-permissions/roles/${String(id)}`);
    const role = isRecord(detail) ? recordIn(detail, 'role') : {};
    for (const action of enabledActions(role['permissions'])) {
      number++;
      yield toRow(permissionUid, { id: number, action, role: { id } });
    }
  }
}

const views = {
  type: { path: 'content-types', key: 'content_types', name: 'contentType' },
  component: { path: 'components', key: 'components', name: 'component' },
} as const;

/** Reads how the admin panel shows the entries of types and components, as the settings in which Strapi stores it. */
export async function* readViews(get: RestClient['get'], schemas: readonly Values[]): AsyncGenerator<TransferRecord> {
  for (const { uid } of schemas) {
    const { path, key, name } = views[String(uid).includes('::') ? 'type' : 'component'];
    const answer = await get(`/content-manager/${path}/${encodeURIComponent(String(uid))}/configuration`);
    const value = isRecord(answer) ? recordIn(answer, 'data')[name] : null;
    if (isRecord(value))
      yield { stage: 'configuration', key: `${viewPrefix}${key}::${String(uid)}`, value, bytes: sizeOf(value) };
  }
}
