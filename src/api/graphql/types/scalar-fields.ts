import { GraphQLBoolean, GraphQLEnumType, GraphQLFloat, GraphQLInt, type GraphQLScalarType, GraphQLString } from 'graphql';
import type { ContentType, ScalarAttribute, ScalarType } from '#model/schema/content-type.js';
import { namedValues } from '#model/schema/enum-names.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { mapValues } from '#base/values.js';
import { dateScalar, dateTimeScalar, timeScalar, jsonScalar, longScalar } from '../scalars.js';
import { enumName } from '../type-names.js';
import type { SchemaContext } from './schema-context.js';

/** The scalars by their names in the rules of types. */
const scalars = {
  String: GraphQLString,
  Int: GraphQLInt,
  Long: longScalar,
  Float: GraphQLFloat,
  Boolean: GraphQLBoolean,
  Date: dateScalar,
  Time: timeScalar,
  DateTime: dateTimeScalar,
  JSON: jsonScalar,
};

/** The GraphQL scalar of each attribute type. Enumerations have separate output types, and are compared as strings. */
export const scalarFields = mapValues(scalarTypes, ({ graphql }) => scalars[graphql]) as Readonly<
  Record<ScalarType, GraphQLScalarType>
>; // the names of the types

/** Returns the enum of an enumeration attribute. Its names are valid in GraphQL; its values are those that are stored. */
export const enumType = (type: ContentType, attribute: ScalarAttribute, { store }: SchemaContext): GraphQLEnumType =>
  store.define(type, enumName(type, attribute), (name) => {
    const values = [...namedValues(attribute.enum)].map(([key, value]) => [key, { value }] as const);
    return new GraphQLEnumType({ name, values: Object.fromEntries(values) });
  });

/** Returns whether GraphQL has a name for each value of an attribute; true for other types than enumerations. */
export const isNamed = ({ type, enum: values }: ScalarAttribute): boolean =>
  type !== 'enumeration' || namedValues(values).size === values.length;
