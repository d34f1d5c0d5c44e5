import type { GraphQLFieldConfigMap, GraphQLObjectType } from 'graphql';
import { memoize } from '#base/caches.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { Shadow } from './shadow.js';
import type { TypeStore } from './type-store.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- graphql-js types sources and arguments per field; a map of fields has many
export type Fields = GraphQLFieldConfigMap<any, GraphqlContext>;

/** Fields in the form of a complete type, with names and argument lists. */
export type FieldMap = ReturnType<GraphQLObjectType['getFields']>;

/**
 * Returns an empty map of fields. Without a prototype V8 stores it as a hash table. An object literal would get a hidden class
 * for each of the many names, which takes a tenth of the time of building a large schema.
 */
export const emptyFields = <Map extends object = Fields>(): Map => Object.create(null) as Map; // Object.create is untyped

/**
 * Functions that return the object types of a content type or component. They are part of the context because types refer to each
 * other circularly.
 */
export type ObjectTypes = Readonly<
  Record<
    'attributes' | 'component' | 'entity' | 'response' | 'collection' | 'relationCollection',
    (type: ContentType, context: SchemaContext) => GraphQLObjectType
  >
>;

/** The context in which the types of one schema are generated. */
export interface SchemaContext {
  readonly objects: ObjectTypes;
  readonly registry: Registry;
  readonly shadow: Shadow;
  readonly store: TypeStore;
  /** Returns the complete fields of a root type, with the checks of their scopes. */
  readonly complete: (fields: Fields) => FieldMap;
  /** Whether required attributes are nullable in answers. */
  readonly nullableOutput: boolean;
  /** Whether there are lists by cursors. */
  readonly connections: boolean;
  /** Whether filters of relations, media and repeatable components have quantifiers. */
  readonly quantifiers: boolean;
  /** Whether there are subscriptions to the changes of types with sync. */
  readonly subscriptions: boolean;
}

/** Returns the type with a uid; null if the schema does not show it. */
export function shownType({ registry, shadow }: SchemaContext, uid: string): ContentType | null {
  const type = registry.types.get(uid);
  return type !== undefined && isShown(type, shadow) ? type : null;
}

const isShown = (type: ContentType, { hasType }: Shadow): boolean => type.inGraphql && hasType(type.uid);

/** Returns all content types and components that the schema shows. */
export const shownTypes = ({ registry, shadow }: SchemaContext): ContentType[] =>
  [...registry.types.values()].filter((type) => isShown(type, shadow));

/**
 * The right that a root field requires: all of the listed actions; a user or a full-access token; nothing; or one action
 * (`anyone`) that the caller or the public may do, so that clients can log in while they still send the token of a user.
 */
export type Scope = readonly string[] | 'authenticated' | 'public' | { readonly anyone: string };

/** The requirement of a root field. */
export interface FieldRequirement {
  readonly scope: Scope;
  /** Whether a user token that was valid once is ignored if it is no longer valid. */
  readonly ignoresEnded?: true;
  /** Whether a mutation can be carried out in the transaction of an Idempotency-Key. */
  readonly takesKey?: true;
}

export const ignoringEnded = { ignoresEnded: true } as const;
export const takingKey = { takesKey: true } as const;

/** Returns the extensions of a field with its requirement. Extensions of the schema may set another scope there. */
export const withScope = (scope: Scope, mark: Omit<FieldRequirement, 'scope'> = {}): { readonly extensions: ScopeExtension } => ({
  extensions: { scope, ...mark },
});

type ScopeExtension = FieldRequirement & Record<string, unknown>;

/** Returns the requirement of a root field. Fields without a scope require a user. */
export function requirementOf({ extensions }: { readonly extensions?: unknown }): FieldRequirement {
  const { scope = 'authenticated', ignoresEnded } = (extensions ?? {}) as Partial<ScopeExtension>; // set by withScope or by an extension
  return { scope, ...(ignoresEnded && { ignoresEnded }) };
}

/** A field or argument with only a type. */
export interface PlainField<Type> {
  readonly type: Type;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/**
 * Shared by all fields without extensions, because graphql-js creates an empty map for each, which would be a third of the memory
 * of a large schema.
 */
const noExtensions = Object.freeze(Object.create(null) as Record<string, unknown>); // Object.create is untyped

const fieldOf = memoize((type: object): PlainField<object> => ({ type, extensions: noExtensions }));

/**
 * Returns the field of a type without further properties. It is always the same object, because most fields of a schema have one
 * of a few scalars.
 */
export const plainField = <Type extends object>(type: Type): PlainField<Type> => fieldOf(type) as PlainField<Type>; // made of this type
