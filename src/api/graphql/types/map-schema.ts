import {
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLUnionType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { GraphQLDirective, GraphQLFieldConfig, GraphQLFieldConfigMap, GraphQLNamedType, GraphQLType } from 'graphql';
import { mapValues } from '#base/values.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- graphql-js types sources and arguments per field
export type FieldConfig = GraphQLFieldConfig<any, any>;
export type FieldResolver = NonNullable<FieldConfig['resolve']>;

/** Functions that map parts of a schema. Parts without a function stay unchanged. */
export interface SchemaMapping {
  readonly field?: (typeName: string, name: string, field: FieldConfig) => FieldConfig;
  /** Replaces a type before its parts are copied. */
  readonly type?: (type: GraphQLNamedType) => GraphQLNamedType;
  readonly directives?: readonly GraphQLDirective[];
}

/** Returns a copy of a schema with new types. Omits types that are no longer referred to. */
export function mapSchema(schema: GraphQLSchema, mapping: SchemaMapping): GraphQLSchema {
  const copies = new Map<string, GraphQLNamedType>();
  const copy: Copy = <Type extends GraphQLType>(type: Type): Type => {
    if (isListType(type)) return new GraphQLList(copy(type.ofType as GraphQLType)) as unknown as Type; // the same kind of type
    if (isNonNullType(type)) return new GraphQLNonNull(copy(type.ofType as never)) as unknown as Type; // the same kind of type
    const named = type as GraphQLNamedType; // neither list nor non-null
    const known = copies.get(named.name) ?? copyNamed(mapping.type?.(named) ?? named, copy, mapping);
    copies.set(named.name, known);
    return known as Type; // its copy has the same kind
  };
  const root = (type: GraphQLObjectType | null | undefined): GraphQLObjectType | null =>
    type && Object.keys(type.getFields()).length > 0 ? copy(type) : null;
  const implementors = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && type.getInterfaces().length > 0);
  return new GraphQLSchema({
    query: root(schema.getQueryType()),
    mutation: root(mutationOf(schema)),
    subscription: root(schema.getSubscriptionType()),
    types: implementors.map(copy),
    directives: mapping.directives ?? schema.getDirectives(),
    extensions: schema.extensions,
  });
}

/** Returns the mutation type. If SDL adds the first mutation, the type exists but is not set as a root type. */
function mutationOf(schema: GraphQLSchema): GraphQLObjectType | null {
  const type = schema.getMutationType() ?? schema.getType('Mutation');
  return isObjectType(type) ? type : null;
}

type Copy = <Type extends GraphQLType>(type: Type) => Type;

/** Copies a named type. Scalars and enums are shared, because they have no parts that could change. */
function copyNamed(type: GraphQLNamedType, copy: Copy, mapping: SchemaMapping): GraphQLNamedType {
  if (isObjectType(type)) {
    const config = type.toConfig();
    const fields = () => copyFields(type.name, config.fields, copy, mapping);
    return new GraphQLObjectType({ ...config, interfaces: () => config.interfaces.map(copy), fields });
  }
  if (isInterfaceType(type)) {
    const config = type.toConfig();
    const fields = () => copyFields(type.name, config.fields, copy, {});
    return new GraphQLInterfaceType({ ...config, interfaces: () => config.interfaces.map(copy), fields });
  }
  if (isUnionType(type)) {
    const config = type.toConfig();
    return new GraphQLUnionType({ ...config, types: () => config.types.map(copy) });
  }
  if (isInputObjectType(type)) {
    const config = type.toConfig();
    return new GraphQLInputObjectType({ ...config, fields: () => mapValues(config.fields, (field) => retype(field, copy)) });
  }
  return type;
}

function copyFields(
  typeName: string,
  fields: GraphQLFieldConfigMap<unknown, unknown>,
  copy: Copy,
  { field: mapField = (_type, _name, field) => field }: SchemaMapping,
): Record<string, FieldConfig> {
  return mapValues(fields, (field, name) => {
    const args = mapValues(field.args ?? {}, (arg) => retype(arg, copy));
    return mapField(typeName, name, { ...retype(field, copy), args });
  });
}

const retype = <Part extends { readonly type: GraphQLType }>(part: Part, copy: Copy): Part => ({
  ...part,
  type: copy(part.type),
});
