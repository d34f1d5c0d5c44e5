import {
  getNamedType,
  type GraphQLDirective,
  GraphQLInputObjectType,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
} from 'graphql';
import { emptyFields, type FieldMap } from './schema-context.js';

type TypeMap = ReturnType<GraphQLSchema['getTypeMap']>;

/** The roots of a schema. Their types are complete and valid, and have no interfaces. */
interface SchemaRoots {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType | null;
  readonly directives: readonly GraphQLDirective[];
}

/**
 * A schema of types that may be known from an earlier one. graphql-js looks at every field and argument of all types for each new
 * schema; here a type is looked at once. The types are the same, and in the same order.
 */
export class AssembledSchema extends GraphQLSchema {
  readonly #roots: SchemaRoots;
  readonly #types: TypeMap;

  constructor(roots: SchemaRoots) {
    super({ directives: roots.directives, assumeValid: true });
    this.#roots = roots;
    const types = new Set<GraphQLNamedType>();
    collectTypes(roots.query, types);
    if (roots.mutation !== null) collectTypes(roots.mutation, types);
    // those of directives and of introspection
    for (const type of Object.values(super.getTypeMap())) types.add(type);
    this.#types = emptyFields();
    for (const type of types) this.#types[type.name] = type;
  }

  override getQueryType(): GraphQLObjectType {
    return this.#roots.query;
  }

  override getMutationType(): GraphQLObjectType | null {
    return this.#roots.mutation;
  }

  override getTypeMap(): TypeMap {
    return this.#types;
  }

  override getType(name: string): GraphQLNamedType | undefined {
    return this.#types[name];
  }
}

/** A type of the root fields of all content types, in parts. Parts of an earlier schema are used again. */
export class RootType extends GraphQLObjectType {
  readonly #makeParts: () => readonly FieldMap[];
  #parts: readonly FieldMap[] | undefined;
  #fields: FieldMap | undefined;

  constructor(name: string, makeParts: () => readonly FieldMap[]) {
    super({ name, fields: {} });
    this.#makeParts = makeParts;
  }

  get parts(): readonly FieldMap[] {
    return (this.#parts ??= this.#makeParts());
  }

  override getFields(): FieldMap {
    return (this.#fields ??= Object.assign(emptyFields<FieldMap>(), ...this.parts) as FieldMap); // of such maps
  }
}

/** Adds a type and all types that it leads to, depth first. */
function collectTypes(type: GraphQLNamedType, types: Set<GraphQLNamedType>): void {
  if (types.has(type)) return;
  types.add(type);
  for (const other of referredBy(type)) collectTypes(other, types);
}

/** The types that a complete type names, in order. Only a union may get others later. */
function referredBy(type: GraphQLNamedType): readonly GraphQLNamedType[] {
  if (type instanceof GraphQLUnionType) return type.getTypes();
  if (type instanceof RootType) return type.parts.flatMap(namedBy);
  if (type instanceof GraphQLObjectType || type instanceof GraphQLInputObjectType) return namedBy(type.getFields());
  return [];
}

type AnyFields = FieldMap | ReturnType<GraphQLInputObjectType['getFields']>;

const named = new WeakMap<AnyFields, readonly GraphQLNamedType[]>();

/** Returns the types of fields and of their arguments. */
function namedBy(fields: AnyFields): readonly GraphQLNamedType[] {
  const known = named.get(fields) ?? [
    ...new Set(
      Object.values(fields)
        .flatMap(typesOf)
        .map((type) => getNamedType(type)),
    ),
  ];
  named.set(fields, known);
  return known;
}

const typesOf = (field: AnyFields[string]): readonly GraphQLType[] =>
  'args' in field ? [field.type, ...field.args.map(({ type }) => type)] : [field.type];
