import { type GraphQLFieldConfigMap, GraphQLObjectType } from 'graphql';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { Shadow } from './shadow.js';
import type { TypeStore } from './type-store.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- graphql-js types sources and arguments per field; a map of fields has many
export type Fields = GraphQLFieldConfigMap<any, GraphqlContext>;

/** Fields as a type has them: with names and lists of arguments. */
export type FieldMap = ReturnType<GraphQLObjectType['getFields']>;

/** Makes the fields of a root type. */
export const completeFields = (fields: Fields): FieldMap => new GraphQLObjectType({ name: 'Root', fields }).getFields();

/**
 * Fields to be filled in. Without a prototype V8 stores them as a hash table: an object literal would get a hidden class for each
 * of the many different names, a tenth of the work of building a large schema.
 */
export const emptyFields = <Map extends object = Fields>(): Map => Object.create(null) as Map; // Object.create is untyped

/** The object types of a content type or component; part of the context because types refer to each other in circles. */
export type ObjectTypes = Readonly<
  Record<
    'attributes' | 'component' | 'entity' | 'response' | 'collection' | 'relationCollection',
    (type: ContentType, context: SchemaContext) => GraphQLObjectType
  >
>;

/** The context in which the types of one schema are made. */
export interface SchemaContext {
  readonly objects: ObjectTypes;
  readonly registry: Registry;
  readonly shadow: Shadow;
  readonly store: TypeStore;
  /** Required attributes may be null in answers. */
  readonly nullableOutput: boolean;
}

/** The type with that uid, if the schema shows it. */
export function shownType({ registry, shadow }: SchemaContext, uid: string): ContentType | null {
  return shadow.hasType(uid) ? (registry.types.get(uid) ?? null) : null;
}

/** All content types and components that the schema shows. */
export const shownTypes = ({ registry, shadow }: SchemaContext): ContentType[] =>
  [...registry.types.values()].filter((type) => shadow.hasType(type.uid));

/**
 * The rights that a root field requires: all of the listed actions; to be some user or a full-access token; nothing; or one
 * action that also counts if the public has it, so that clients may log in while they still send the token of a user.
 */
export type Scope = readonly string[] | 'authenticated' | 'public' | { readonly anyone: string };

/** The requirement of a root field. */
export interface FieldRequirement {
  readonly scope: Scope;
  /** A token of a user that was good once counts as none. */
  readonly ignoresEnded?: true;
}

export const ignoringEnded = { ignoresEnded: true } as const;

/** Fields carry their requirement in their extensions, where those who extend the schema may set another scope. */
export const withScope = (scope: Scope, mark: Omit<FieldRequirement, 'scope'> = {}): { readonly extensions: ScopeExtension } => ({
  extensions: { scope, ...mark },
});

type ScopeExtension = FieldRequirement & Record<string, unknown>;

/** Returns the requirement of a root field; a field without a scope is for users only. */
export function requirementOf({ extensions }: { readonly extensions?: unknown }): FieldRequirement {
  const { scope = 'authenticated', ignoresEnded } = (extensions ?? {}) as Partial<ScopeExtension>; // set by withScope or by an extension
  return { scope, ...(ignoresEnded && { ignoresEnded }) };
}

/** A field or argument that has a type and nothing else. */
export interface PlainField<Type> {
  readonly type: Type;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** graphql-js makes an empty map for every field that comes without one; in a large schema they weigh a third of it. */
const noExtensions = Object.freeze(Object.create(null) as Record<string, unknown>); // Object.create is untyped

const known = new WeakMap<object, PlainField<object>>();

/** The plain field of a type, always the same object: most fields of a schema are of a few scalars. */
export function plainField<Type extends object>(type: Type): PlainField<Type> {
  const made = known.get(type) ?? { type, extensions: noExtensions };
  known.set(type, made);
  return made as PlainField<Type>; // made of this type
}
