import { GraphQLID, GraphQLInputObjectType, GraphQLList } from 'graphql';
import type { GraphQLInputFieldConfigMap, GraphQLInputType } from 'graphql';
import type { Attribute, ContentType } from '../../schema/content-type.js';
import { filtersName, isGraphqlName } from '../type-names.js';
import { scalarFields } from './scalar-fields.js';
import { scalarFilter } from './scalar-filters.js';
import { emptyFields, plainField, type SchemaContext, shownType } from './schema-context.js';

/** `<Type>FiltersInput`: the conditions on entries of a type, or on a component. */
export const filtersType = (type: ContentType, context: SchemaContext): GraphQLInputObjectType =>
  context.store.define(type, filtersName(type), (name) => {
    const filters: GraphQLInputObjectType = new GraphQLInputObjectType({
      name,
      fields: () => filterFields(type, filters, context),
    });
    return filters;
  });

function filterFields(type: ContentType, self: GraphQLInputObjectType, context: SchemaContext): GraphQLInputFieldConfigMap {
  const fields = emptyFields<GraphQLInputFieldConfigMap>();
  const { hasFilters } = context.shadow;
  if (type.kind === 'collectionType' && hasFilters(type.uid, 'id')) fields['id'] = plainField(scalarFilter(GraphQLID));
  for (const attribute of type.attributes.values()) {
    const isShown = isGraphqlName(attribute.name) && hasFilters(type.uid, attribute.name);
    const filter = isShown ? attributeFilter(attribute, context) : null;
    if (filter !== null) fields[attribute.name] = plainField(filter);
  }
  const list = plainField(new GraphQLList(self));
  return Object.assign(fields, { and: list, or: list, not: plainField(self) });
}

/** Media, dynamic zones and polymorphic relations have none. */
function attributeFilter(attribute: Attribute, context: SchemaContext): GraphQLInputType | null {
  switch (attribute.kind) {
    case 'scalar':
      return scalarFilter(scalarFields[attribute.type]);
    case 'relation':
      return attribute.storage.kind === 'morph' ? null : filtersOf(attribute.target, context);
    case 'component':
      return filtersOf(attribute.component, context);
    case 'media':
    case 'morph':
    case 'dynamiczone':
      return null;
  }
}

function filtersOf(uid: string, context: SchemaContext): GraphQLInputType | null {
  const type = shownType(context, uid);
  return type === null ? null : filtersType(type, context);
}
