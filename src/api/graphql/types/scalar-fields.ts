import { GraphQLBoolean, GraphQLEnumType, GraphQLFloat, GraphQLInt, type GraphQLScalarType, GraphQLString } from 'graphql';
import type { ContentType, ScalarAttribute, ScalarType } from '#model/schema/content-type.js';
import { namedValues } from '#model/schema/enum-names.js';
import { dateScalar, dateTimeScalar, timeScalar, jsonScalar, longScalar } from '../scalars.js';
import { enumName } from '../type-names.js';
import type { SchemaContext } from './schema-context.js';

/** The GraphQL scalar of each attribute type. Enumerations have separate output types, and are compared as strings. */
export const scalarFields: Readonly<Record<ScalarType, GraphQLScalarType>> = {
  string: GraphQLString,
  text: GraphQLString,
  richtext: GraphQLString,
  email: GraphQLString,
  uid: GraphQLString,
  password: GraphQLString,
  enumeration: GraphQLString,
  integer: GraphQLInt,
  biginteger: longScalar,
  float: GraphQLFloat,
  decimal: GraphQLFloat,
  boolean: GraphQLBoolean,
  date: dateScalar,
  time: timeScalar,
  datetime: dateTimeScalar,
  timestamp: dateTimeScalar,
  json: jsonScalar,
  blocks: jsonScalar,
};

/** Returns the enum of an enumeration attribute. Its names are valid in GraphQL; its values are those that are stored. */
export const enumType = (type: ContentType, attribute: ScalarAttribute, { store }: SchemaContext): GraphQLEnumType =>
  store.define(type, enumName(type, attribute), (name) => {
    const values = [...namedValues(attribute.enum)].map(([key, value]) => [key, { value }] as const);
    return new GraphQLEnumType({ name, values: Object.fromEntries(values) });
  });

/** Returns whether GraphQL has a name for each value of an attribute; true for other types than enumerations. */
export const isNamed = ({ type, enum: values }: ScalarAttribute): boolean =>
  type !== 'enumeration' || namedValues(values).size === values.length;
