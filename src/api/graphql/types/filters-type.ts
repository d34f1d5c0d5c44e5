import { GraphQLBoolean, GraphQLID, GraphQLInputObjectType, GraphQLList } from 'graphql';
import type { GraphQLInputFieldConfig, GraphQLInputFieldConfigMap, GraphQLInputType, GraphQLScalarType } from 'graphql';
import { memoize } from '#base/caches.js';
import { type Operator, operators } from '#model/query/operators.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { filtersName, isInGraphql } from '../type-names.js';
import { scalarFields } from './scalar-fields.js';
import { emptyFields, plainField, type SchemaContext, shownType } from './schema-context.js';

/** Returns `<Type>FiltersInput`, the conditions on entries of a type or on a component. */
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
  const { hasField } = context.shadow;
  if (type.kind === 'collectionType' && hasField(type.uid, 'id', 'filters')) fields['id'] = plainField(scalarFilter(GraphQLID));
  for (const attribute of type.attributes.values()) {
    const isShown = isInGraphql(attribute) && hasField(type.uid, attribute.name, 'filters');
    const filter = isShown ? attributeFilter(attribute, context) : null;
    if (filter !== null) fields[attribute.name] = plainField(filter);
  }
  const list = plainField(new GraphQLList(self));
  return Object.assign(fields, { and: list, or: list, not: plainField(self) });
}

/** Returns the filter type of an attribute; null for media, dynamic zones and polymorphic relations. */
function attributeFilter(attribute: Attribute, context: SchemaContext): GraphQLInputType | null {
  if (attribute.kind === 'scalar') return scalarFilter(scalarFields[attribute.type]);
  if (attribute.kind === 'component') return filtersOf(attribute.component, context);
  return attribute.kind === 'relation' && attribute.storage.kind !== 'morph' ? filtersOf(attribute.target, context) : null;
}

function filtersOf(uid: string, context: SchemaContext): GraphQLInputType | null {
  const type = shownType(context, uid);
  return type === null ? null : filtersType(type, context);
}

/** The order of operators in Strapi v4. Others come after them. */
const order: readonly Operator[] = [
  'eq',
  'eqi',
  'ne',
  'nei',
  'startsWith',
  'endsWith',
  'contains',
  'notContains',
  'containsi',
  'notContainsi',
  'gt',
  'gte',
  'lt',
  'lte',
  'null',
  'notNull',
  'in',
  'notIn',
  'between',
];

/** Returns the filter type of a scalar, such as `StringFilterInput`. It is the same object in all schemas. */
const scalarFilter = memoize((scalar: GraphQLScalarType): GraphQLInputObjectType => {
  const filter: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${scalar.name}FilterInput`,
    fields: () => comparisonFields(scalar, filter),
  });
  return filter;
});

/** All of them. */
export const scalarFilters: readonly GraphQLInputObjectType[] = [GraphQLID, ...new Set(Object.values(scalarFields))].map(
  scalarFilter,
);

function comparisonFields(scalar: GraphQLScalarType, filter: GraphQLInputObjectType): Record<string, GraphQLInputFieldConfig> {
  const list = new GraphQLList(scalar);
  const arities = { one: scalar, flag: GraphQLBoolean, list, pair: list };
  const names = new Set([...order, ...(Object.keys(operators) as Operator[])]);
  const offered = [...names].filter((name) => operators[name].inGraphql !== false);
  const tests = offered.map((operator) => [operator, { type: arities[operators[operator].arity] }] as const);
  return { and: { type: list }, or: { type: list }, not: { type: filter }, ...Object.fromEntries(tests) };
}
