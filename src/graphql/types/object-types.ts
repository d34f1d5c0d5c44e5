import { GraphQLID, GraphQLList, GraphQLNonNull, GraphQLObjectType } from 'graphql';
import type { ContentType } from '../../schema/content-type.js';
import type { Values } from '../../values.js';
import { entitiesOf, entityOf, metaOf, rowOf } from '../results.js';
import { attributeFields } from './attribute-fields.js';
import { collectionName, entityName, relationCollectionName, responseName, typeName } from '../type-names.js';
import { type Fields, type ObjectTypes, plainField, type SchemaContext } from './schema-context.js';
import { collectionMetaType } from './shared-types.js';

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
    const id: Fields = context.shadow.hasOutput(type.uid, 'id') ? { id: componentId } : {};
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
