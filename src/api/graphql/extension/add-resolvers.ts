import {
  GraphQLEnumType,
  GraphQLScalarType,
  GraphQLUnionType,
  isEnumType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isUnionType,
} from 'graphql';
import type { GraphQLNamedType, GraphQLSchema, GraphQLTypeResolver } from 'graphql';
import { didYouMean } from '#base/nearest-name.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { mapSchema, type FieldConfig, type FieldResolver } from '../types/map-schema.js';

/** Sets resolvers of a schema, and replaces generated ones. Throws an Error for a type or field that the schema does not have. */
export function addResolvers(schema: GraphQLSchema, resolvers: Values): GraphQLSchema {
  for (const [name, given] of Object.entries(resolvers)) checkNames(schema, name, given);
  return Object.keys(resolvers).length === 0 ? schema : mapSchema(schema, mappingOf(resolvers));
}

const mappingOf = (resolvers: Values) => ({
  type: (type: GraphQLNamedType) => replaceType(type, resolvers[type.name]),
  field: (typeName: string, name: string, field: FieldConfig): FieldConfig => {
    const given = resolvers[typeName];
    const resolve = isRecord(given) && Object.hasOwn(given, name) ? resolverOf(given[name]) : null;
    return resolve === null ? field : { ...field, resolve };
  },
});

/** Returns a resolver, which may be a function or the property `resolve` of an object; null if there is none. */
function resolverOf(input: unknown): FieldResolver | null {
  const resolve = isRecord(input) ? input['resolve'] : input;
  return typeof resolve === 'function' ? (resolve as FieldResolver) : null; // resolvers have this form
}

/**
 * Returns a type with custom parts: a scalar is replaced, an enum gets the values of its names, a union gets the function that
 * returns the type of a value.
 */
function replaceType(type: GraphQLNamedType, input: unknown): GraphQLNamedType {
  if (input === undefined) return type;
  if (isScalarType(type)) return new GraphQLScalarType({ ...type.toConfig(), ...configOf(input), name: type.name });
  if (!isRecord(input)) return type;
  if (isEnumType(type)) {
    const config = type.toConfig();
    const values = mapValues(config.values, (value, name) => ({ ...value, ...valueOf(input, name) }));
    return new GraphQLEnumType({ ...config, values });
  }
  const resolveType = input['__resolveType'];
  if (isUnionType(type) && typeof resolveType === 'function')
    return new GraphQLUnionType({ ...type.toConfig(), resolveType: resolveType as GraphQLTypeResolver<unknown, unknown> }); // resolvers of types have this form
  return type;
}

const valueOf = (input: Values, name: string): { value?: unknown } => (Object.hasOwn(input, name) ? { value: input[name] } : {});

const configOf = (input: unknown): object => (input instanceof GraphQLScalarType ? input.toConfig() : (input as object)); // an object with functions of a scalar

function checkNames(schema: GraphQLSchema, name: string, input: unknown): void {
  const type = schema.getType(name);
  if (type === undefined) throw unknown(`resolvers: unknown type "${name}"`, name, Object.keys(schema.getTypeMap()));
  if (!isRecord(input)) throw new Error(`resolvers: "${name}" must be an object`);
  if (!isObjectType(type) && !isInterfaceType(type)) return;
  const fields = Object.keys(type.getFields());
  const wrong = Object.keys(input).find((field) => !field.startsWith('__') && !fields.includes(field));
  if (wrong !== undefined) throw unknown(`resolvers: ${name} has no field "${wrong}"`, wrong, fields);
}

const unknown = (what: string, name: string, names: readonly string[]): Error => new Error(`${what}${didYouMean(name, names)}`);
