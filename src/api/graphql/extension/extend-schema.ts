import { defaultFieldResolver, getNamedType, isObjectType, isSpecifiedDirective, validateSchema } from 'graphql';
import type { GraphQLDirective, GraphQLSchema } from 'graphql';
import { didYouMean } from '#base/nearest-name.js';
import type { Registry } from '#model/schema/content-type.js';
import { addNexusTypes, applyNexusPlugins, addTypeDefs } from './add-types.js';
import { addResolvers } from './add-resolvers.js';
import { loadNexus } from './builders.js';
import { collectExtensions } from './collect-extensions.js';
import { configureField } from './configure-field.js';
import type { FieldConfiguration, Strapi, UsedExtension } from './extension.js';
import { mapSchema, type FieldConfig, type SchemaMapping } from '../types/map-schema.js';
import { createTypeRegistry, type TypeRegistry } from './type-registry.js';

interface ExtendInput {
  readonly used: readonly UsedExtension[];
  readonly registry: Registry;
  readonly strapi: Strapi;
  /** Called with a warning about a likely mistake. */
  readonly warn: (message: string) => void;
  /** Whether extensions add nothing, and only configure fields that are there. */
  readonly onlyConfigures?: true;
}

/**
 * Adds all extensions to a generated schema, in the order of Strapi v4: types, SDL, resolvers, Nexus plugins, then the
 * configuration of fields. Omits unreferenced types. Throws an Error if the result is invalid.
 */
export function extendSchema(generated: GraphQLSchema, input: ExtendInput): GraphQLSchema {
  const { used, registry, strapi, warn } = input;
  const nexus = loadNexus();
  const typeRegistry = createTypeRegistry(generated, registry);
  const collected = collectExtensions(used, { strapi, nexus, registry, typeRegistry }, warn);
  const { resolversConfig } = collected;
  const { types, typeDefs, plugins, resolvers } = input.onlyConfigures
    ? nothing
    : { ...collected, types: [...collected.types, ...typeRegistry.added] };
  const typed = addTypeDefs(addNexusTypes(generated, types, plugins, nexus), typeDefs);
  const complete = applyNexusPlugins(addResolvers(typed, resolvers), plugins, nexus);
  for (const message of unknownFields(complete, resolversConfig)) warn(message);
  const field = fieldMapping({ generated: fieldResolvers(generated), typeRegistry, resolversConfig, strapi });
  const extended = mapSchema(complete, { field, directives: directivesOf(generated, complete) });
  const errors = validateSchema(extended);
  if (errors.length > 0) throw new Error(`The extended schema is not valid: ${errors.map(({ message }) => message).join('; ')}`);
  return extended;
}

const nothing = { types: [], typeDefs: [], plugins: [], resolvers: {} } as const;

/** Yields a warning for each configured field that does not exist, because a misspelt configuration protects nothing. */
function* unknownFields(schema: GraphQLSchema, configs: ReadonlyMap<string, FieldConfiguration>): Generator<string> {
  const known = fieldResolvers(schema);
  for (const key of configs.keys()) {
    if (known.has(key)) continue;
    yield `resolversConfig: the schema has no "${key}"${didYouMean(key, known.keys())}`;
  }
}

/** Returns the resolvers of all object types, by `Type.field`. */
function fieldResolvers(schema: GraphQLSchema): ReadonlyMap<string, unknown> {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type));
  return new Map(
    types.flatMap((type) => Object.values(type.getFields()).map(({ name, resolve }) => [`${type.name}.${name}`, plain(resolve)])),
  );
}

/** Returns undefined for the default resolver, which Nexus sets on fields without one. */
const plain = <Resolve>(resolve: Resolve): Resolve | undefined => (resolve === defaultFieldResolver ? undefined : resolve);

interface MappingInput {
  /** Generated resolvers by `Type.field`. */
  readonly generated: ReadonlyMap<string, unknown>;
  readonly typeRegistry: TypeRegistry;
  readonly resolversConfig: ReadonlyMap<string, FieldConfiguration>;
  readonly strapi: Strapi;
}

function fieldMapping(input: MappingInput): NonNullable<SchemaMapping['field']> {
  const { generated, typeRegistry, resolversConfig, strapi } = input;
  return (typeName, name, { resolve: given, ...rest }) => {
    const key = `${typeName}.${name}`;
    const resolve = plain(given);
    const field: FieldConfig = resolve === undefined ? rest : { ...rest, resolve };
    const isRoot = typeName === 'Query' || typeName === 'Mutation';
    const isGenerated = generated.has(key) && generated.get(key) === resolve;
    const isInside = typeRegistry.get(typeName)?.config.kind === 'component';
    const type = typeRegistry.get(getNamedType(rest.type).name);
    const place = { isRoot, isInside, config: resolversConfig.get(key), type, strapi };
    return configureField(isGenerated ? field : markCustom(field), place);
  };
}

/**
 * Marks a field that an extension resolves. Compiled selections do not run it, because its code may be asynchronous and may read
 * any attribute. Groups, which would run none of its code, do not have its stored values.
 */
const markCustom = (field: FieldConfig): FieldConfig => ({
  ...field,
  extensions: { ...field.extensions, custom: true, guarded: true },
});

/** Returns the directives of the generated schema, and those that SDL declares. */
const directivesOf = (generated: GraphQLSchema, complete: GraphQLSchema): readonly GraphQLDirective[] => [
  ...generated.getDirectives(),
  ...complete
    .getDirectives()
    .filter((directive) => !isSpecifiedDirective(directive) && generated.getDirective(directive.name) === undefined),
];

/** What graphql-js, Nexus and the check of resolvers say of a type that the schema does not have. */
const forms = [
  /Cannot extend type "(\w+)" because it is not defined/,
  /[Uu]nknown type "(\w+)"/,
  /Missing type (\w+)/,
  /Looks like you forgot to \w+ "?(\w+)"?/,
];

/** Returns the missing type that an error names; null if it names none, or one that looks like a misspelt name. */
export function missingTypeOf(error: unknown): string | null {
  const message = error instanceof Error ? error.message : '';
  if (/did you mean/i.test(message)) return null;
  for (const form of forms) {
    const name = form.exec(message)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}
