import type { ContentType } from '#model/schema/content-type.js';
import { zonePart, type Components } from './components.js';
import { answerSchema } from './scalar-schemas.js';
import { listOf, oneOf, orNull, record, text, integer, type Schema } from '#http/json-schema.js';
import { shownAttributes, type ShownAttribute } from './shown-attributes.js';

type AttributeOf<Kind extends ShownAttribute['kind']> = Extract<ShownAttribute, { readonly kind: Kind }>;

/** The form of answered entries: with `attributes` and `data`, or flat, as for users and files. */
type Form = 'Entry' | 'Flat';

/** Returns the schema of an entry in answers, in the form that the settings choose. */
export const answeredSchema = (type: ContentType, components: Components): Schema =>
  (components.isFlat ? flatSchema : entrySchema)(type, components);

/** Returns the schema of `{ id, attributes, meta }`. Attributes are optional, because `fields` and `populate` select them. */
const entrySchema = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Entry', () => ({
    ...record(
      {
        id: integer,
        attributes: record(valuesOf(type, 'Entry', components), []),
        meta: record({ availableLocales: listOf(text), ...distanceOf(type, components) }, []),
      },
      ['id', 'attributes'],
    ),
    ...(type.description !== '' && { description: type.description }),
  }));

/** Returns the schema of a flat entry: `{ id, username, ... }`. */
export const flatSchema = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Flat', () =>
    record({ id: integer, ...flatMeta(type, components), ...valuesOf(type, 'Flat', components) }, ['id']),
  );

const flatMeta = (type: ContentType, components: Components): Record<string, Schema> => {
  const distance = distanceOf(type, components);
  return 'distance' in distance ? { meta: record(distance, []) } : {};
};

/** Returns the schema of the distance of an entry, if lists of the type may be near to a place. */
const distanceOf = (type: ContentType, components: Components): Record<string, Schema> =>
  hasPlace(type, components) ? { distance: { type: 'number', description: 'Metres, in lists with the filter `$near`' } } : {};

/** Returns whether the caller sees a point of a type, or of a component in it that is not repeatable. */
const hasPlace = (type: ContentType, components: Components, outer: readonly ContentType[] = []): boolean =>
  shownAttributes(type, components).some(([, shown]) => {
    if (shown.kind === 'scalar') return shown.attribute.type === 'point';
    if (shown.kind !== 'parts' || shown.attribute.kind !== 'component' || shown.attribute.repeatable) return false;
    return shown.parts.some((part) => !outer.includes(part) && hasPlace(part, components, [...outer, part]));
  });

/** Returns the schema of a component. In a dynamic zone it also has its uid. */
function componentSchema(type: ContentType, form: Form, components: Components): Schema {
  const named = { id: integer, __component: { type: 'string', const: type.uid } };
  return components.ofType(type, form, () => record({ ...named, ...valuesOf(type, form, components) }, ['id']));
}

/** Returns the schemas of the attributes that the caller may see, by name. */
const valuesOf = (type: ContentType, form: Form, components: Components): Record<string, Schema> =>
  Object.fromEntries(shownAttributes(type, components).map(([name, shown]) => [name, valueOf(shown, form, components)]));

function valueOf(attribute: ShownAttribute, form: Form, components: Components): Schema {
  switch (attribute.kind) {
    case 'scalar':
      return orNull(answerSchema(attribute.attribute));
    case 'link':
      return linkValue(attribute, form, components);
    case 'morph':
      return targetsValue(attribute, form, components);
    case 'parts':
      return partsValue(attribute, form, components);
  }
}

/** A dynamic zone allows all components, because entries may have ones that the zone no longer lists. */
function partsValue({ attribute, parts }: AttributeOf<'parts'>, form: Form, components: Components): Schema {
  if (attribute.kind === 'component') {
    const part = oneOf(parts.map((type) => componentSchema(type, form, components)));
    return attribute.repeatable ? listOf(part) : orNull(part);
  }
  const listed = (types: readonly ContentType[]): Schema[] =>
    types.map((part) => zonePart(part.uid, componentSchema(part, form, components)));
  const all = [...components.registry.types.values()].filter(({ kind }) => kind === 'component');
  const others = components.named(`${form === 'Flat' ? 'Flat' : ''}AnyPart`, () => oneOf(listed(all)));
  return listOf(oneOf([...listed(parts), others]));
}

function linkValue({ attribute, target }: AttributeOf<'link'>, form: Form, components: Components): Schema {
  const { many, kind } = attribute;
  const entry = form === 'Entry' ? entrySchema(target, components) : flatSchema(target, components);
  const counted = countOf(form, components);
  if (form === 'Flat') return many ? orNull(oneOf([listOf(entry), counted])) : orNull(entry);
  const list = [listOf(entry), counted, ...(kind === 'media' ? [{ type: 'null' }] : [])];
  return record({ data: many ? oneOf(list) : orNull(entry) });
}

/** Returns the schema of the number of entries, for `populate[name][count]=true`. */
function countOf(form: Form, components: Components): Schema {
  const count = record({ count: integer });
  return form === 'Flat'
    ? components.named('FlatCount', () => count)
    : components.named('Count', () => record({ attributes: count }));
}

/** Returns the schema of entries of several types, each with its type name. */
function targetsValue({ many, targets }: AttributeOf<'morph'>, form: Form, components: Components): Schema {
  const target = targets === null ? anyTarget(components) : oneOf(targets.map((type) => targetSchema(type, form, components)));
  return many ? listOf(target) : orNull(target);
}

const anyTarget = (components: Components): Schema =>
  components.named('AnyEntry', () => ({
    type: 'object',
    required: ['__type', 'id'],
    properties: { __type: text, id: integer },
  }));

const targetSchema = (type: ContentType, form: Form, components: Components): Schema =>
  components.ofType(type, form === 'Flat' ? 'FlatTarget' : 'Target', () => {
    const named = { __type: { type: 'string', const: type.uid }, id: integer };
    return record({ ...named, ...valuesOf(type, form, components) }, ['__type', 'id']);
  });
