import { extendSchema, Kind, parse, type DefinitionNode, type GraphQLSchema, isSpecifiedScalarType } from 'graphql';
import type { core } from 'nexus';
import type { Nexus } from './builders.js';

/**
 * Adds SDL to a schema: new types, and fields of existing types, with or without `extend`. Throws an error of graphql-js if the
 * SDL does not fit.
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

/** Returns the second definition of a type as an extension of it. */
function asExtension(node: DefinitionNode, names: Set<string>): DefinitionNode {
  if (!(node.kind in extensions) || !('name' in node) || node.name === undefined) return node;
  const isKnown = names.has(node.name.value);
  names.add(node.name.value);
  if (!isKnown) return node;
  return { ...node, kind: extensions[node.kind as keyof typeof extensions] } as DefinitionNode; // differs only in its kind
}

/**
 * Adds Nexus definitions to a schema. Of plugins only the methods that they add are used here; `applyNexusPlugins` runs plugins
 * after all fields exist. Throws an Error if a definition refers to an unknown type.
 */
export function addNexusTypes(
  schema: GraphQLSchema,
  types: readonly unknown[],
  plugins: readonly unknown[],
  nexus: Nexus,
): GraphQLSchema {
  if (types.length === 0) return schema;
  const installed = plugins.map((plugin) => {
    const { config } = plugin as core.NexusPlugin; // Nexus refuses other values in the second pass
    const { name, onInstall, onMissingType } = config;
    return nexus.plugin({ name, ...(onInstall && { onInstall }), ...(onMissingType && { onMissingType }) });
  });
  return makeSchema([...typesOf(schema), types], installed, nexus);
}

/** Runs Nexus plugins for all fields and resolvers, including generated ones. */
export function applyNexusPlugins(schema: GraphQLSchema, plugins: readonly unknown[], nexus: Nexus): GraphQLSchema {
  return plugins.length === 0 ? schema : makeSchema(typesOf(schema), plugins as readonly core.NexusPlugin[], nexus); // Nexus checks them
}

const typesOf = (schema: GraphQLSchema): unknown[] =>
  Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type));

const makeSchema = (types: readonly unknown[], plugins: readonly core.NexusPlugin[], nexus: Nexus): GraphQLSchema =>
  nexus.makeSchema({
    types,
    plugins: [...plugins],
    shouldGenerateArtifacts: false,
    outputs: false,
    features: { abstractTypeRuntimeChecks: false },
  });
