import { roleUid } from '../../accounts/user-store.js';
import type { TransferredLink } from '../../mongo/transfer/transferred.js';
import { uploadFile } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import { sizeOf } from '../source.js';
import type { RestClient } from './rest-client.js';

/** Attributes by uid of the content type or component, as the service describes them. */
export type Shapes = ReadonlyMap<string, Readonly<Record<string, Values>>>;

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
export const isPolymorphic = ({ type, relation }: Values): boolean => type === 'relation' && /^morphTo/.test(String(relation));

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

/** Returns the links of an entry and of its components, with those to its other locales. */
export function linksOf(type: string, id: number, values: Values, shapes: Shapes): readonly TransferredLink[] {
  const siblings = idsIn(values['localizations']).map((other) => ({
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
  const roles = isRecord(answer) && Array.isArray(answer['roles']) ? answer['roles'].filter(isRecord) : [];
  yield* roles.map((role) => toRow(roleUid, role)).sort((one, other) => one.id - other.id);
}

/** Reads the permissions of roles. They are numbered in the order of reading. */
export async function* readPermissions(client: RestClient): AsyncGenerator<RestRow> {
  let number = 0;
  for await (const { id } of readRoles(client)) {
    const detail = await client.get(`/users-permissions/roles/${String(id)}`);
    for (const action of actionsIn(isRecord(detail) ? detail['role'] : null)) {
      number++;
      yield toRow(permissionUid, { id: number, action, role: { id } });
    }
  }
}

/**
 * Returns the enabled actions of a role: `api::article.article.find` for `{ 'api::article': { controllers: { article: { find: {
 * enabled: true } } } } }`.
 */
function actionsIn(role: unknown): readonly string[] {
  return entriesOf(isRecord(role) ? role['permissions'] : null).flatMap(([origin, part]) =>
    entriesOf(isRecord(part) ? part['controllers'] : null).flatMap(([controller, actions]) =>
      entriesOf(actions).flatMap(([action, state]) =>
        isRecord(state) && state['enabled'] === true ? [`${origin}.${controller}.${action}`] : [],
      ),
    ),
  );
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] => (isRecord(value) ? Object.entries(value) : []);
