import { isSpecifiedScalarType } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { core } from 'nexus';
import type { Nexus } from './load-nexus.js';

/**
 * Adds Nexus definitions to a schema. Of plugins only what they install counts here (methods that definitions may call): they
 * come to their own with `applyNexusPlugins`, once all fields are there. Throws if a definition refers to nothing.
 */
export function addNexusTypes(
  schema: GraphQLSchema,
  types: readonly unknown[],
  plugins: readonly unknown[],
  nexus: Nexus,
): GraphQLSchema {
  if (types.length === 0) return schema;
  const installed = plugins.map((plugin) => {
    const { config } = plugin as core.NexusPlugin; // Nexus refuses what is none in the second pass
    const { name, onInstall, onMissingType } = config;
    return nexus.plugin({ name, ...(onInstall && { onInstall }), ...(onMissingType && { onMissingType }) });
  });
  return makeSchema([...typesOf(schema), types], installed, nexus);
}

/** Lets Nexus plugins see every field and resolver, generated ones too. */
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
