import type { GraphQLFieldConfigMap, GraphQLObjectType } from 'graphql';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { GraphqlContext } from '../execute/graphql-context.js';
import type { Shadow } from './shadow.js';
import type { TypeStore } from './type-store.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- graphql-js types sources and arguments per field; a map of fields has many
export type Fields = GraphQLFieldConfigMap<any, GraphqlContext>;

/**
 * Fields to be filled in. Without a prototype they are a table from the start: an object literal would get a hidden class for each
 * of the many different names, a tenth of the work of building a large schema.
 */
export const emptyFields = <Map extends object = Fields>(): Map => Object.create(null) as Map; // Object.create is untyped

/** The object types of a content type or component; at hand in the context because types refer to each other in circles. */
export type ObjectTypes = Readonly<
  Record<
    'attributes' | 'component' | 'entity' | 'response' | 'collection' | 'relationCollection',
    (type: ContentType, context: SchemaContext) => GraphQLObjectType
  >
>;

/** What the types of one schema are made from. */
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
