import { GraphQLBoolean, GraphQLID, GraphQLInputObjectType, GraphQLList, GraphQLString } from 'graphql';
import type { GraphQLInputFieldConfig, GraphQLInputFieldConfigMap, GraphQLInputType, GraphQLScalarType } from 'graphql';
import { memoize } from '#base/caches.js';
import { type Operator, operators, quantifiers } from '#model/query/operators.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { hasJsonPaths } from '#model/schema/json-options.js';
import { filtersName, isInGraphql, quantifiersName } from '../type-names.js';
import { scalarFields } from './scalar-fields.js';
import { pointFilter } from './point-filter.js';
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
    const filter = isShown ? attributeFilter(attribute, type, context) : null;
    if (filter !== null) fields[attribute.name] = plainField(filter);
  }
  const list = plainField(new GraphQLList(self));
  return Object.assign(fields, { and: list, or: list, not: plainField(self), ...quantifierFields(fields, self, context) });
}

/** Returns the fields of quantifiers, which are of use in the filter of a relation or list alone. An attribute of the same name has precedence. */
const quantifierFields = (
  fields: GraphQLInputFieldConfigMap,
  filters: GraphQLInputObjectType,
  context: SchemaContext,
): GraphQLInputFieldConfigMap =>
  context.quantifiers
    ? Object.fromEntries(quantifiers.filter((name) => !(name in fields)).map((name) => [name, plainField(filters)]))
    : {};

/** Returns the type of conditions on media, which clients filter by with quantifiers alone; null without them. */
function mediaFilter(uid: string, context: SchemaContext): GraphQLInputType | null {
  const type = context.quantifiers ? shownType(context, uid) : null;
  if (type === null) return null;
  const typed = filtersType(type, context);
  return context.store.define(
    type,
    quantifiersName(type),
    (name) => new GraphQLInputObjectType({ name, fields: () => quantifierFields({}, typed, context) }),
  );
}

/** Returns the filter type of an attribute; null for dynamic zones and polymorphic relations, and for media without quantifiers. */
function attributeFilter(attribute: Attribute, type: ContentType, context: SchemaContext): GraphQLInputType | null {
  if (attribute.kind === 'scalar' && hasJsonPaths(attribute, type)) return jsonPathFilter(scalarFilter(scalarFields.json));
  if (attribute.kind === 'scalar' && attribute.type === 'point') return pointFilter;
  if (attribute.kind === 'scalar') return scalarFilter(scalarFields[attribute.type]);
  if (attribute.kind === 'component') return filtersOf(attribute.component, context);
  if (attribute.kind === 'media' && attribute.storage.kind !== 'morph') return mediaFilter(attribute.target, context);
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

/** Returns the type of conditions on values inside of JSON, or on all of it without a path. */
const jsonPathFilter = memoize(
  (whole: GraphQLInputObjectType) =>
    new GraphQLInputObjectType({
      name: 'JSONPathFilterInput',
      fields: () => ({ path: { type: GraphQLString }, ...whole.toConfig().fields }),
    }),
);

/** All of them. */
export const scalarFilters: readonly GraphQLInputObjectType[] = [GraphQLID, ...new Set(Object.values(scalarFields))].map(
  scalarFilter,
);

function comparisonFields(scalar: GraphQLScalarType, filter: GraphQLInputObjectType): Record<string, GraphQLInputFieldConfig> {
  const list = new GraphQLList(scalar);
  const arities = { one: scalar, flag: GraphQLBoolean, list, pair: list, shape: pointFilter };
  const names = new Set([...order, ...(Object.keys(operators) as Operator[])]);
  const offered = [...names].filter((name) => operators[name].inGraphql !== false);
  const tests = offered.map((operator) => [operator, { type: arities[operators[operator].arity] }] as const);
  return { and: { type: list }, or: { type: list }, not: { type: filter }, ...Object.fromEntries(tests) };
}
