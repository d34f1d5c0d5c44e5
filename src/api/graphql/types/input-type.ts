import { GraphQLID, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';
import type { GraphQLInputFieldConfigMap, GraphQLInputType } from 'graphql';
import { type Attribute, type ContentType, type LinkAttribute, uploadFile } from '#model/schema/content-type.js';
import { inputName, isInGraphql } from '../type-names.js';
import { enumType, scalarFields } from './scalar-fields.js';
import { emptyFields, plainField, type SchemaContext, shownType } from './schema-context.js';
import { zoneInput } from './union-types.js';

/** Returns `<Type>Input`, the values of a create or update of an entry or component; null if there are none. */
export function inputType(type: ContentType, context: SchemaContext): GraphQLInputObjectType | null {
  if (!hasInputFields(type, context)) return null;
  return context.store.define(
    type,
    inputName(type),
    (name) => new GraphQLInputObjectType({ name, fields: () => inputFields(type, context) }),
  );
}

const hasInputFields = (type: ContentType, context: SchemaContext): boolean =>
  takesId(type, context) || [...type.attributes.values()].some((attribute) => fieldOf(type, attribute, context) !== null);

/** Returns whether the input has an id. Components have one, so that they can be updated in place. */
const takesId = (type: ContentType, { shadow }: SchemaContext): boolean =>
  type.kind === 'component' && shadow.hasField(type.uid, 'id', 'input');

function inputFields(type: ContentType, context: SchemaContext): GraphQLInputFieldConfigMap {
  const fields = emptyFields<GraphQLInputFieldConfigMap>();
  if (takesId(type, context)) fields['id'] = plainField(GraphQLID);
  for (const attribute of type.attributes.values()) {
    const field = fieldOf(type, attribute, context);
    if (field !== null) fields[attribute.name] = plainField(field);
  }
  return fields;
}

/**
 * Returns null if the input does not have the attribute. The times that the service sets are accepted but ignored, and the locale is a
 * separate argument.
 */
function fieldOf(type: ContentType, attribute: Attribute, context: SchemaContext): GraphQLInputType | null {
  const { name, writable, added } = attribute;
  if (!context.shadow.hasField(type.uid, name, 'input') || !isInGraphql(attribute)) return null;
  if (!writable && added !== 'time' && !(attribute.kind === 'relation' && attribute.dangling)) return null;
  return added === 'locale' ? null : attributeInput(type, attribute, context);
}

function attributeInput(type: ContentType, attribute: Attribute, context: SchemaContext): GraphQLInputType | null {
  switch (attribute.kind) {
    case 'scalar':
      return attribute.type === 'enumeration' ? enumType(type, attribute, context) : scalarFields[attribute.type];
    case 'component': {
      const component = shownType(context, attribute.component);
      const input = component === null ? null : inputType(component, context);
      return input !== null && attribute.repeatable ? new GraphQLList(input) : input;
    }
    case 'dynamiczone':
      return new GraphQLList(new GraphQLNonNull(zoneInput(type, attribute, context)));
    case 'relation':
    case 'media':
      return linkInput(attribute, context);
    case 'morph':
      return null;
  }
}

/** Returns the input type of a relation or media attribute: an id, or the complete list of ids. */
function linkInput(link: LinkAttribute, context: SchemaContext): GraphQLInputType | null {
  const target = shownType(context, link.kind === 'media' ? uploadFile : link.target);
  if (target === null || link.storage.kind === 'morph') return null;
  return link.many ? new GraphQLList(GraphQLID) : GraphQLID;
}
