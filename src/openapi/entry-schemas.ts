import { maySee, readable, type Access } from '../query/access.js';
import { isCreator } from '../query/bind-selection.js';
import type {
  Attribute,
  ContentType,
  LinkAttribute,
  MorphAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/content-type.js';
import type { Components } from './components.js';
import { answerSchema } from './scalar-schemas.js';
import { anything, listOf, oneOf, orNull, record, text, whole, type Schema } from './schema.js';

/** How entries are answered: with `attributes` and `data`, or with everything side by side, as users and files are. */
type Form = 'Entry' | 'Flat';

/** `{ id, attributes, meta }`; what `fields` and `populate` leave out is missing. */
export const entrySchema = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Entry', () => ({
    ...record(
      {
        id: whole,
        attributes: record(valuesOf(type, 'Entry', components), []),
        meta: record({ availableLocales: listOf(text) }, []),
      },
      ['id', 'attributes'],
    ),
    ...(type.description !== '' && { description: type.description }),
  }));

/** `{ id, username, ... }`. */
export const flatSchema = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Flat', () => record({ id: whole, ...valuesOf(type, 'Flat', components) }, ['id']));

/** A component in an entry; in a dynamic zone with its uid. */
function componentSchema(type: ContentType, form: Form, components: Components): Schema {
  const named = { id: whole, __component: { type: 'string', const: type.uid } };
  return components.ofType(type, form, () => record({ ...named, ...valuesOf(type, form, components) }, ['id']));
}

/** The attributes that the caller may read, by name. */
function valuesOf(type: ContentType, form: Form, components: Components): Record<string, Schema> {
  const { access } = components;
  const shown = [...type.attributes.values()].filter(({ name }) => readable(type, name, access) !== null);
  return Object.fromEntries(
    shown.flatMap((attribute) => {
      const schema = valueOf(attribute, form, components);
      return schema === null ? [] : [[attribute.name, schema] as const];
    }),
  );
}

/** Null: the caller may not see where the attribute leads to. */
function valueOf(attribute: Attribute, form: Form, components: Components): Schema | null {
  switch (attribute.kind) {
    case 'scalar':
      return scalarValue(attribute);
    case 'relation':
    case 'media':
      return linkValue(attribute, form, components);
    case 'morph':
      return targetsValue(attribute, form, components);
    case 'component': {
      const part = typeOf(attribute.component, components, (type) => componentSchema(type, form, components));
      return attribute.repeatable ? listOf(part) : orNull(part);
    }
    case 'dynamiczone':
      return zoneValue(attribute, form, components);
  }
}

const scalarValue = (attribute: ScalarAttribute): Schema => orNull(answerSchema(attribute));

const typeOf = (uid: string, { registry }: Components, show: (type: ContentType) => Schema): Schema => {
  const type = registry.types.get(uid);
  return type === undefined ? anything : show(type);
};

/** Entries may hold parts of components that the zone does not list any more, or that it never did. */
function zoneValue(zone: ZoneAttribute, form: Form, components: Components): Schema {
  const uids = [...components.registry.types.values()].filter(({ kind }) => kind === 'component').map(({ uid }) => uid);
  const others = components.named(`${form === 'Flat' ? 'Flat' : ''}AnyPart`, () =>
    oneOf(uids.map((uid) => zonePart(uid, form, components))),
  );
  return listOf(oneOf([...zone.components.map((uid) => zonePart(uid, form, components)), others]));
}

const zonePart = (uid: string, form: Form, components: Components): Schema =>
  typeOf(uid, components, (type) => ({
    allOf: [
      componentSchema(type, form, components),
      { type: 'object', required: ['__component'], properties: { __component: { type: 'string', const: uid } } },
    ],
  }));

/** Whether entries of the type that a relation leads to are shown to the caller. */
export const isOpenLink = (link: LinkAttribute, access: Access): boolean =>
  !link.dangling && (isCreator(link) || maySee(access, link.target));

function linkValue(link: LinkAttribute, form: Form, components: Components): Schema | null {
  const target = components.registry.types.get(link.target);
  if (target === undefined || !isOpenLink(link, components.access)) return null;
  const entry = form === 'Entry' ? entrySchema(target, components) : flatSchema(target, components);
  const counted = countOf(form, components);
  if (form === 'Flat') return link.many ? orNull(oneOf([listOf(entry), counted])) : orNull(entry);
  const many = [listOf(entry), counted, ...(link.kind === 'media' ? [{ type: 'null' }] : [])];
  return record({ data: link.many ? oneOf(many) : orNull(entry) });
}

/** The number of entries, for `populate[name][count]=true`. */
function countOf(form: Form, components: Components): Schema {
  const count = record({ count: whole });
  return form === 'Flat'
    ? components.named('FlatCount', () => count)
    : components.named('Count', () => record({ attributes: count }));
}

/** Entries of several types, side by side with the name of their type. */
function targetsValue({ many, targets }: MorphAttribute, form: Form, components: Components): Schema {
  const target = targets === null ? anyTarget(components) : oneOf(targets.map((uid) => targetSchema(uid, form, components)));
  return many ? listOf(target) : orNull(target);
}

const anyTarget = (components: Components): Schema =>
  components.named('AnyEntry', () => ({ type: 'object', required: ['__type', 'id'], properties: { __type: text, id: whole } }));

const targetSchema = (uid: string, form: Form, components: Components): Schema =>
  typeOf(uid, components, (type) =>
    components.ofType(type, form === 'Flat' ? 'FlatTarget' : 'Target', () => {
      const named = { __type: { type: 'string', const: uid }, id: whole };
      return record({ ...named, ...valuesOf(type, form, components) }, ['__type', 'id']);
    }),
  );
