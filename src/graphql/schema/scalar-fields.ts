import { GraphQLBoolean, GraphQLFloat, GraphQLInt, GraphQLString } from 'graphql';
import type { GraphQLScalarType } from 'graphql';
import type { ScalarType } from '../../schema/content-type.js';
import { dateScalar, dateTimeScalar } from '../scalars/date.js';
import { jsonScalar } from '../scalars/json.js';
import { longScalar } from '../scalars/long.js';
import { timeScalar } from '../scalars/time.js';

/** The GraphQL scalar of each attribute type; enumerations have types of their own and are compared as strings. */
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
