import { invalidParameter } from '#base/errors.js';
import { readable } from '#model/query/access.js';
import { emptyQuery, fieldOf, type PopulateField, type Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import type { Asked } from './asked.js';

/** Maximum depth of nested components. */
const deepest = 10;

/**
 * Returns the query that reads what an entry itself stores: its scalars, its components and zones, and the ids of the relations and
 * files in it. Throws a ValidationError for names in `fields` that the caller may not read.
 */
export function heldQuery({ fields: items, ...asked }: Asked, type: ContentType, { registry, access }: BindContext): Query {
  const names = items?.flatMap((item) => item.split(',').map((name) => name.trim())) ?? null;
  const isHeld = (name: string): boolean => (type.attributes.get(name)?.kind ?? 'scalar') !== 'scalar';
  const refused = names?.find((name) => isHeld(name) && readable(type, name, access) === null);
  if (refused !== undefined) throw invalidParameter(refused);
  const held = heldFields(type, registry, 0).filter(({ name }) => names === null || names.includes(name));
  return {
    ...emptyQuery,
    ...asked,
    fields: names === null ? null : ['id', ...names.filter((name) => !isHeld(name))],
    populate: { all: false, fields: held },
    withTotal: false,
  };
}

function heldFields(type: ContentType, registry: Registry, depth: number): PopulateField[] {
  return [...type.attributes.values()].flatMap((attribute) => heldField(attribute, registry, depth) ?? []);
}

/** Returns how an attribute is read; null if it is a scalar, or other entries store it. */
function heldField(attribute: Attribute, registry: Registry, depth: number): PopulateField | null {
  const { name } = attribute;
  switch (attribute.kind) {
    case 'scalar':
      return null;
    case 'relation':
    case 'media':
      return attribute.storage.kind === 'own' ? fieldOf(name, idOnly) : null;
    case 'morph':
      return attribute.writable ? fieldOf(name, idOnly, { on: targetsOf(registry) }) : null;
    case 'component':
      return fieldOf(name, partQuery(attribute.component, registry, depth + 1));
    case 'dynamiczone':
      return fieldOf(name, idOnly, {
        on: new Map(attribute.components.map((uid) => [uid, partQuery(uid, registry, depth + 1)])),
      });
  }
}

const idOnly: Query = { ...emptyQuery, fields: ['id'] };

const targetsOf = ({ types }: Registry): ReadonlyMap<string, Query> =>
  new Map([...types.values()].filter(({ kind }) => kind !== 'component').map(({ uid }) => [uid, idOnly]));

function partQuery(uid: string, registry: Registry, depth: number): Query {
  const type = registry.types.get(uid);
  if (type === undefined || depth > deepest) return emptyQuery;
  return { ...emptyQuery, populate: { all: false, fields: heldFields(type, registry, depth) } };
}
