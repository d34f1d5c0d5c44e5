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
import { memoize } from '#base/caches.js';
import { emptyFields, type FieldMap } from './schema-context.js';

type TypeMap = ReturnType<GraphQLSchema['getTypeMap']>;

/** The root types and directives of a schema. Their types are complete and valid, and implement no interfaces. */
export interface SchemaRoots {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType | null;
  readonly subscription: GraphQLObjectType | null;
  readonly directives: readonly GraphQLDirective[];
}

type Types = Map<string, GraphQLNamedType>;

/** A schema that another one extends with root fields and types. All types except the root types are shared. */
interface Extended {
  readonly schema: AssembledSchema;
  readonly fields: readonly FieldMap[];
  /** New members of unions. */
  readonly members: readonly GraphQLNamedType[];
}

/** Maximum number of types that are copied for each schema. */
const mostOwn = 300;

/**
 * Types by name. Schemas that extend each other share most types, because copying all would take longer than adding the new ones.
 */
class NamedTypes {
  readonly #shared: Types;
  readonly #own: Types;

  constructor(shared: Types, own: Types = new Map()) {
    this.#shared = shared;
    this.#own = own;
  }

  get(name: string): GraphQLNamedType | undefined {
    return this.#own.get(name) ?? this.#shared.get(name);
  }

  set(name: string, type: GraphQLNamedType): void {
    this.#own.set(name, type);
  }

  copy(): NamedTypes {
    if (this.#own.size <= mostOwn) return new NamedTypes(this.#shared, new Map(this.#own));
    return new NamedTypes(new Map([...this.#shared, ...this.#own]));
  }
}

/**
 * A schema that reuses types of an earlier one. For each new schema graphql-js visits every field and argument of all types. This
 * class visits each type once. The types and their order are the same.
 */
export class AssembledSchema extends GraphQLSchema {
  readonly #roots: SchemaRoots;
  readonly #types: NamedTypes;
  /** Types in the order of graphql-js. Created when introspection or an error needs them. */
  #typeMap: TypeMap | undefined;

  constructor(roots: SchemaRoots, extended?: Extended) {
    super({ directives: roots.directives, assumeValid: true });
    this.#roots = roots;
    this.#types = extended === undefined ? new NamedTypes(this.#collect()) : this.#extend(extended);
  }

  override getQueryType(): GraphQLObjectType {
    return this.#roots.query;
  }

  override getMutationType(): GraphQLObjectType | null {
    return this.#roots.mutation;
  }

  override getSubscriptionType(): GraphQLObjectType | null {
    return this.#roots.subscription;
  }

  override getTypeMap(): TypeMap {
    if (this.#typeMap !== undefined) return this.#typeMap;
    const types = emptyFields<TypeMap>();
    for (const [name, type] of this.#collect()) types[name] = type;
    this.#typeMap = types;
    return types;
  }

  override getType(name: string): GraphQLNamedType | undefined {
    return this.#types.get(name);
  }

  #collect(): Types {
    const { query, mutation, subscription } = this.#roots;
    const types: Types = new Map();
    for (const root of [query, mutation, subscription]) if (root !== null) collectTypes(root, types);
    // types of directives and introspection
    for (const type of Object.values(super.getTypeMap())) types.set(type.name, type);
    return types;
  }

  #extend({ schema, fields, members }: Extended): NamedTypes {
    const { query, mutation, subscription } = this.#roots;
    const types = schema.#types.copy();
    for (const root of [query, mutation, subscription]) if (root !== null) types.set(root.name, root);
    for (const type of [...fields.flatMap(namedBy), ...members]) collectTypes(type, types);
    return types;
  }
}

/** A root type whose fields consist of parts, one per content type. Parts of an earlier schema are reused. */
export class RootType extends GraphQLObjectType {
  readonly parts: readonly FieldMap[];
  #fields: FieldMap | undefined;

  constructor(name: string, parts: readonly FieldMap[]) {
    super({ name, fields: {} });
    this.parts = parts;
  }

  get isEmpty(): boolean {
    return this.parts.every((fields) => Object.keys(fields).length === 0);
  }

  override getFields(): FieldMap {
    return (this.#fields ??= Object.assign(emptyFields<FieldMap>(), ...this.parts) as FieldMap); // the merged maps have this type
  }
}

/** Adds a type and all types that it refers to, depth first. */
function collectTypes(type: GraphQLNamedType, types: Types | NamedTypes): void {
  if (types.get(type.name) === type) return;
  types.set(type.name, type);
  for (const other of referredBy(type)) collectTypes(other, types);
}

/** Returns the types that a complete type refers to, in order. Only unions may refer to others later. */
function referredBy(type: GraphQLNamedType): readonly GraphQLNamedType[] {
  if (type instanceof GraphQLUnionType) return type.getTypes();
  if (type instanceof RootType) return type.parts.flatMap(namedBy);
  if (type instanceof GraphQLObjectType || type instanceof GraphQLInputObjectType) return namedBy(type.getFields());
  return [];
}

type AnyFields = FieldMap | ReturnType<GraphQLInputObjectType['getFields']>;

/** Returns the types of fields and of their arguments. */
const namedBy = memoize((fields: AnyFields): readonly GraphQLNamedType[] => [
  ...new Set(
    Object.values(fields)
      .flatMap(typesOf)
      .map((type) => getNamedType(type)),
  ),
]);

const typesOf = (field: AnyFields[string]): readonly GraphQLType[] =>
  'args' in field ? [field.type, ...field.args.map(({ type }) => type)] : [field.type];
