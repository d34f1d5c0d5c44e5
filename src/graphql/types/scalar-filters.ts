import { GraphQLBoolean, GraphQLInputObjectType, GraphQLList } from 'graphql';
import type { GraphQLInputFieldConfig, GraphQLScalarType } from 'graphql';
import { type Operator, operators } from '../../query/operators.js';

/** The operators that GraphQL offers, in the order of Strapi v4; it has no startsWithi and endsWithi. */
const offered: readonly Operator[] = [
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

const made = new Map<GraphQLScalarType, GraphQLInputObjectType>();

/** `StringFilterInput` and its kind: one for each scalar, the same in every schema. */
export function scalarFilter(scalar: GraphQLScalarType): GraphQLInputObjectType {
  const known = made.get(scalar);
  if (known !== undefined) return known;
  const filter: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${scalar.name}FilterInput`,
    fields: () => filterFields(scalar, filter),
  });
  made.set(scalar, filter);
  return filter;
}

function filterFields(scalar: GraphQLScalarType, filter: GraphQLInputObjectType): Record<string, GraphQLInputFieldConfig> {
  const list = new GraphQLList(scalar);
  const arities = { one: scalar, flag: GraphQLBoolean, list, pair: list };
  const tests = offered.map((operator) => [operator, { type: arities[operators[operator].arity] }] as const);
  return { and: { type: list }, or: { type: list }, not: { type: filter }, ...Object.fromEntries(tests) };
}
