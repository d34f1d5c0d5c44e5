import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { maySee, readable } from '#model/query/access.js';
import { quantifiers } from '#model/query/operators.js';
import { schemasByName, zonePart, type Components } from './components.js';
import { conditionSchema, scalarCondition, scalarInput } from './scalar-schemas.js';
import { anything, flag, listOf, oneOf, orNull, record, text, integer, type Schema } from '#http/json-schema.js';
import { isOpenLink } from './shown-attributes.js';

/** Returns the schema of the values of a write. Absent values are unchanged by an update, and set to defaults by a create. */
export const inputSchema = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Input', () => record(inputsOf(type, components), []));

/** Returns the schema of a new entry, with its required attributes. A draft may lack them. */
export function createSchema(type: ContentType, components: Components): Schema {
  const input = inputSchema(type, components);
  const required = requiredNames(type, components);
  if (required.length === 0) return input;
  const properties = Object.entries(inputsOf(type, components)).filter(([name]) => required.includes(name));
  const complete = { type: 'object', required, properties: Object.fromEntries(properties) };
  return { allOf: [input, type.draftAndPublish ? { anyOf: [complete, draft] } : complete] };
}

const draft: Schema = { type: 'object', required: ['publishedAt'], properties: { publishedAt: { type: 'null' } } };

const requiredNames = (type: ContentType, components: Components): string[] =>
  [...type.attributes.values()].filter((attribute) => isRequired(attribute, type, components)).map(({ name }) => name);

function isRequired(attribute: Attribute, type: ContentType, { access }: Components): boolean {
  const isGenerated = attribute.kind === 'scalar' && (attribute.default !== undefined || attribute.generate);
  const isWritten = attribute.required && attribute.writable && access.hidden.get(type.uid)?.has(attribute.name) !== true;
  return isWritten && !isGenerated && attribute.kind !== 'media';
}

/** Returns the schemas of the attributes that the caller may write, by name. */
export function inputsOf(type: ContentType, components: Components): Record<string, Schema> {
  const hidden = components.access.hidden.get(type.uid);
  return schemasByName(type.attributes, (attribute) =>
    attribute.writable && hidden?.has(attribute.name) !== true ? inputOf(attribute, components) : null,
  );
}

/**
 * Returns the schema of an attribute in a body; null if the caller may not see the target of the attribute, and so not change it.
 */
function inputOf(attribute: Attribute, components: Components): Schema | null {
  switch (attribute.kind) {
    case 'scalar':
      return attribute.required ? scalarInput(attribute) : orNull(scalarInput(attribute));
    case 'relation':
    case 'media':
      return isOpenLink(attribute, components.access) ? relationInput(components) : null;
    case 'morph':
      return targetsInput(components);
    case 'component': {
      const part = partOf(attribute.component, components);
      return attribute.repeatable ? listOf(part) : orNull(part);
    }
    case 'dynamiczone':
      return listOf(oneOf(attribute.components.map((uid) => zonePart(uid, partOf(uid, components)))));
  }
}

/** Returns the schema of a component in a body. If it has the id of an existing component, absent values stay unchanged. */
const partOf = (uid: string, components: Components): Schema => {
  const type = components.registry.types.get(uid);
  if (type === undefined) return anything;
  const own = { id: { type: ['integer', 'string'] }, __component: { type: 'string', const: uid } };
  return components.ofType(type, 'Input', () => record({ ...own, ...inputsOf(type, components) }, []));
};

const id: Schema = { type: ['integer', 'string'] };

/** Returns the schema of a relation in a body: an id, a list of ids, or entries to connect and disconnect. */
function relationInput(components: Components): Schema {
  const position = positionOf(id);
  const connected = oneOf([id, { type: 'object', properties: { id, position }, required: ['id'] }]);
  return components.named('RelationInput', () => ({ anyOf: [id, ...changesOf(connected)] }));
}

/** Returns the schema of a polymorphic relation in a body: the same, with entries that name their types. */
function targetsInput(components: Components): Schema {
  const target = { type: 'object', required: ['__type', 'id'], properties: { __type: text, id } };
  const position = positionOf(oneOf([id, target]));
  const connected = { ...target, properties: { ...target.properties, position } };
  return components.named('TargetsInput', () => ({ anyOf: [connected, ...changesOf(connected)] }));
}

const positionOf = (item: Schema): Schema => record({ before: item, after: item, start: flag, end: flag }, []);

/** Returns the schemas of a relation in a body besides a single item. */
const changesOf = (item: Schema): readonly Schema[] => [
  listOf(item),
  { type: 'object', properties: { set: listOf(item), connect: listOf(item), disconnect: listOf(item) } },
  { type: 'null' },
];

/** Returns the schema of `filters`: conditions on attributes and related entries, and groups of conditions. */
export const filtersSchema = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Filters', () => {
    const self = filtersSchema(type, components);
    const conditions = schemasByName(type.attributes, (attribute) =>
      readable(type, attribute.name, components.access) === null ? null : filterOf(attribute, type, components),
    );
    const groups = { $and: listOf(self), $or: listOf(self), $not: self };
    const ownId = type.kind === 'component' ? {} : { id: conditionSchema('number', components) };
    return { type: 'object', properties: { ...ownId, ...conditions, ...groups } };
  });

function filterOf(attribute: Attribute, type: ContentType, components: Components): Schema | null {
  if (attribute.kind === 'scalar') return scalarCondition(attribute, type, components);
  if (attribute.kind === 'component') return relatedFilter(attribute.component, components, attribute.repeatable);
  const isOpen = 'target' in attribute && isOpenLink(attribute, components.access) && maySee(components.access, attribute.target);
  if (!isOpen) return null;
  return attribute.kind === 'media'
    ? quantifiedFilter(attribute.target, components)
    : relatedFilter(attribute.target, components);
}

/** Returns the schema of a condition on a relation: an id, or conditions on the related entry. */
function relatedFilter(uid: string, components: Components, isList = true): Schema | null {
  const type = components.registry.types.get(uid);
  if (type === undefined) return null;
  const quantified = isList ? quantifiedFilter(uid, components) : null;
  const filters = filtersSchema(type, components);
  return { anyOf: [integer, quantified === null ? filters : { allOf: [filters, quantified] }] };
}

/** Returns the schema of conditions with quantifiers on related entries or elements of a list. */
function quantifiedFilter(uid: string, components: Components): Schema | null {
  const type = components.registry.types.get(uid);
  if (type === undefined) return null;
  const filters = filtersSchema(type, components);
  return { type: 'object', properties: Object.fromEntries(quantifiers.map((name) => [`$${name}`, filters])) };
}
