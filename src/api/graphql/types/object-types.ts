import { GraphQLID, GraphQLList, GraphQLNonNull, GraphQLObjectType, type GraphQLFieldConfigArgumentMap } from 'graphql';
import type { Attribute, ComponentAttribute, ContentType, LinkAttribute, ScalarAttribute } from '#model/schema/content-type.js';
import { namedValues } from '#model/schema/enum-names.js';
import type { Values } from '#base/values.js';
import { componentResolver, linkResolver, morphResolver, zoneResolver } from '../execute/read-resolvers.js';
import { entitiesOf, entityOf, metaOf, rowOf } from '../results.js';
import { collectionName, entityName, isInGraphql, relationCollectionName, responseName, typeName } from '../type-names.js';
import { filtersType } from './filters-type.js';
import { enumType, isNamed, scalarFields } from './scalar-fields.js';
import { emptyFields, type Fields, type ObjectTypes, plainField, type SchemaContext, shownType } from './schema-context.js';
import { collectionMetaType, listArguments, publicationStateArgument } from './shared-types.js';
import { morphUnion, zoneUnion } from './union-types.js';

/** Returns the object type of a content type with a name. Its fields are made once it is known, because types refer to each other. */
export const define = (type: ContentType, name: string, context: SchemaContext, fields: () => Fields): GraphQLObjectType =>
  context.store.define(type, name, () => new GraphQLObjectType({ name, fields }));

/** Returns the type of the attributes of a content type. It has no fields if no attribute is shown. */
const attributesType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, typeName(type), context, () => attributeFields(type, context));

/** The id of a component; 0, which no component has, if another program has stored it without one. */
const componentId: Fields[string] = {
  type: new GraphQLNonNull(GraphQLID),
  resolve: (source: Values): unknown => source['id'] ?? 0,
};

/** Returns the type of a component: its id, then its attributes. */
const componentType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, typeName(type), context, () => {
    const id: Fields = context.shadow.hasField(type.uid, 'id', 'output') ? { id: componentId } : {};
    return { ...id, ...attributeFields(type, context) };
  });

/** Returns the type of `{ id, attributes }`. */
const entityType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, entityName(type), context, () => {
    const attributes = attributesType(type, context);
    const shown = Object.keys(attributes.getFields()).length > 0;
    return {
      id: plainField(GraphQLID),
      ...(shown ? { attributes: { type: attributes, resolve: rowOf } } : {}),
    };
  });

/** Returns the type of `{ data: entity }`, for reads of one entry, writes, and to-one relations. */
const responseType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, responseName(type), context, () => ({
    data: { type: entityType(type, context), resolve: entityOf },
  }));

const entities = (type: ContentType, context: SchemaContext): Fields => ({
  data: {
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(entityType(type, context)))),
    resolve: entitiesOf,
  },
});

/** Returns the type of `{ data: [entity], meta }`. */
const collectionType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, collectionName(type), context, () => ({
    ...entities(type, context),
    meta: { type: new GraphQLNonNull(collectionMetaType), resolve: metaOf },
  }));

/** Returns the type of `{ data: [entity] }`, for to-many relations. */
const relationCollectionType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, relationCollectionName(type), context, () => entities(type, context));

/** Functions that return the object types of a content type or component. */
export const objectTypes: ObjectTypes = {
  attributes: attributesType,
  component: componentType,
  entity: entityType,
  response: responseType,
  collection: collectionType,
  relationCollection: relationCollectionType,
};

type Field = Fields[string];

/**
 * Returns the output fields of a type's attributes, in order. Omits private attributes, and relations whose target is not shown.
 */
function attributeFields(type: ContentType, context: SchemaContext): Fields {
  const fields = emptyFields();
  for (const attribute of type.attributes.values()) {
    if (attribute.private || !isInGraphql(attribute) || !context.shadow.hasField(type.uid, attribute.name, 'output')) continue;
    const field = attributeField(type, attribute, context);
    if (field === null) continue;
    const isNonNull = attribute.required && !context.nullableOutput && isWhole(attribute);
    fields[attribute.name] = isNonNull ? { ...field, type: new GraphQLNonNull(field.type) } : field;
  }
  return fields;
}

function attributeField(type: ContentType, attribute: Attribute, context: SchemaContext): Field | null {
  switch (attribute.kind) {
    case 'scalar':
      return scalarField(type, attribute, context);
    case 'relation':
    case 'media':
      return linkField(attribute, type, context);
    case 'component':
      return componentField(attribute, type, context);
    case 'dynamiczone': {
      const union = zoneUnion(type, attribute, context);
      return { type: new GraphQLList(union), resolve: zoneResolver(attribute, type) };
    }
    case 'morph': {
      if (attribute.targets?.every((uid) => shownType(context, uid) === null) === true) return null;
      const union = morphUnion(type, attribute, context);
      return { type: attribute.many ? new GraphQLList(union) : union, resolve: morphResolver(attribute, type) };
    }
  }
}

/** Returns whether answers can hold every value of an attribute. */
const isWhole = (attribute: Attribute): boolean => attribute.kind !== 'scalar' || isNamed(attribute);

/** Returns the field of a scalar. Values of an enumeration that GraphQL has no name for, or that the model lists no more, are null. */
function scalarField(type: ContentType, attribute: ScalarAttribute, context: SchemaContext): Field {
  if (attribute.type !== 'enumeration') return plainField(scalarFields[attribute.type]);
  const named: ReadonlySet<unknown> = new Set(namedValues(attribute.enum).values());
  const resolve = (row: Values): unknown => (named.has(row[attribute.name]) ? row[attribute.name] : null);
  return { type: enumType(type, attribute, context), resolve };
}

function linkField(link: LinkAttribute, owner: ContentType, context: SchemaContext): Field | null {
  const target = shownType(context, link.target);
  if (target === null) return null;
  const field = { resolve: linkResolver(link, owner), extensions: { target: link.target } };
  if (!link.many) return { type: context.objects.response(target, context), ...field };
  return { type: context.objects.relationCollection(target, context), args: listArgs(target, context), ...field };
}

function componentField(attribute: ComponentAttribute, owner: ContentType, context: SchemaContext): Field | null {
  const component = shownType(context, attribute.component);
  if (component === null) return null;
  const type = context.objects.component(component, context);
  const resolve = componentResolver(attribute, owner);
  if (!attribute.repeatable) return { type, resolve };
  return { type: new GraphQLList(type), args: listArgs(component, context), resolve };
}

/** Returns the arguments of a list of entries or components. Localizations of a single type have only `publicationState`. */
export function listArgs(type: ContentType, context: SchemaContext): GraphQLFieldConfigArgumentMap {
  const state = type.draftAndPublish ? { publicationState: publicationStateArgument } : {};
  return type.kind === 'singleType' ? state : { filters: plainField(filtersType(type, context)), ...listArguments, ...state };
}
