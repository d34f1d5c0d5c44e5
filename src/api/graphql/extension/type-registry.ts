import type { GraphQLNamedType, GraphQLSchema } from 'graphql';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import {
  collectionName,
  entityName,
  filtersName,
  inputName,
  relationCollectionName,
  responseName,
  typeName,
} from '../type-names.js';

/** A type of the generated schema. `config` contains its content type and purpose. */
export interface RegisteredType {
  readonly name: string;
  readonly definition: unknown;
  readonly config: { readonly kind: string; readonly contentType?: ContentType };
}

/** The generated types by name. Registered types become part of the schema, like `types` of an extension. */
export interface TypeRegistry {
  readonly has: (name: string) => boolean;
  readonly get: (name: string) => RegisteredType | undefined;
  readonly where: (matches: (type: RegisteredType) => boolean) => readonly RegisteredType[];
  readonly register: (name: string, definition: unknown, config?: RegisteredType['config']) => TypeRegistry;
  /** Registers a list of `[name, definition]`. */
  readonly registerMany: (types: readonly (readonly [string, unknown])[], config?: RegisteredType['config']) => TypeRegistry;
  /** Names of all types. */
  readonly types: readonly string[];
  readonly definitions: readonly unknown[];
  readonly toObject: () => Readonly<Record<string, RegisteredType>>;
}

interface OpenTypeRegistry extends TypeRegistry {
  /** The definitions that extensions have registered. */
  readonly added: readonly unknown[];
}

/** Creates a registry with the types of a generated schema. */
export function createTypeRegistry(schema: GraphQLSchema, registry: Registry): OpenTypeRegistry {
  const kinds = kindsOf(registry);
  const describe = (type: GraphQLNamedType): RegisteredType => ({
    name: type.name,
    definition: type,
    config: kinds.get(type.name) ?? { kind: 'internal' },
  });
  const types = new Map(Object.values(schema.getTypeMap()).map((type) => [type.name, describe(type)]));
  const added: unknown[] = [];
  const open: OpenTypeRegistry = {
    has: (name) => types.has(name),
    get: (name) => types.get(name),
    where: (matches) => [...types.values()].filter(matches),
    register: (name, definition, config = { kind: 'custom' }) => {
      types.set(name, { name, definition, config });
      added.push(definition);
      return open;
    },
    registerMany: (items, config) => {
      for (const [name, definition] of items) open.register(name, definition, config);
      return open;
    },
    get types() {
      return [...types.keys()];
    },
    get definitions() {
      return [...types.values()].map(({ definition }) => definition);
    },
    toObject: () => Object.fromEntries(types),
    added,
  };
  return open;
}

function kindsOf(registry: Registry): ReadonlyMap<string, RegisteredType['config']> {
  const kinds = new Map<string, RegisteredType['config']>();
  for (const contentType of registry.types.values()) {
    if (!contentType.inGraphql) continue;
    kinds.set(typeName(contentType), { kind: contentType.kind === 'component' ? 'component' : 'type', contentType });
    for (const [kind, nameOf] of Object.entries(namesByKind)) kinds.set(nameOf(contentType), { kind, contentType });
  }
  return kinds;
}

const namesByKind: Readonly<Record<string, (type: ContentType) => string>> = {
  entity: entityName,
  'entity-response': responseName,
  'entity-response-collection': collectionName,
  'relation-response-collection': relationCollectionName,
  input: inputName,
  'filters-input': filtersName,
};
