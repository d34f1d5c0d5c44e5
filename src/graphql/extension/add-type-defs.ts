import { extendSchema, Kind, parse } from 'graphql';
import type { DefinitionNode, GraphQLSchema } from 'graphql';

/**
 * Adds SDL to a schema: new types, and fields for types that are there, whether written with `extend` or not. Throws with the
 * words of graphql-js where it does not fit.
 */
export function addTypeDefs(schema: GraphQLSchema, typeDefs: readonly string[]): GraphQLSchema {
  const definitions = typeDefs.filter((text) => text.trim() !== '').flatMap((text) => parse(text).definitions);
  if (definitions.length === 0) return schema;
  const known = new Set(Object.keys(schema.getTypeMap()));
  return extendSchema(schema, { kind: Kind.DOCUMENT, definitions: definitions.map((node) => asExtension(node, known)) });
}

const extensions = {
  [Kind.OBJECT_TYPE_DEFINITION]: Kind.OBJECT_TYPE_EXTENSION,
  [Kind.INTERFACE_TYPE_DEFINITION]: Kind.INTERFACE_TYPE_EXTENSION,
  [Kind.UNION_TYPE_DEFINITION]: Kind.UNION_TYPE_EXTENSION,
  [Kind.ENUM_TYPE_DEFINITION]: Kind.ENUM_TYPE_EXTENSION,
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: Kind.INPUT_OBJECT_TYPE_EXTENSION,
} as const;

/** A second definition of a type adds to the first. */
function asExtension(node: DefinitionNode, known: Set<string>): DefinitionNode {
  if (!(node.kind in extensions) || !('name' in node) || node.name === undefined) return node;
  const isKnown = known.has(node.name.value);
  known.add(node.name.value);
  if (!isKnown) return node;
  return { ...node, kind: extensions[node.kind as keyof typeof extensions] } as DefinitionNode; // the same node but for its kind
}
