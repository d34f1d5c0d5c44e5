import type { FunctionName } from '#model/query/aggregate/aggregation.js';
import type { Attribute, ContentType, ScalarType } from '#model/schema/content-type.js';
import { namedValues } from '#model/schema/enum-names.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { pascalCase, pluginOf, typeName } from '#model/schema/names.js';

export { typeName };

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/**
 * Returns whether an attribute can be a field. Names of fields, unlike those of attributes, cannot contain hyphens, and an
 * enumeration needs a value that has a name.
 */
export const isInGraphql = (attribute: Attribute): boolean =>
  !attribute.name.includes('-') &&
  !(attribute.kind === 'scalar' && attribute.type === 'enumeration' && namedValues(attribute.enum).size === 0);

export const entityName = (type: ContentType): string => `${typeName(type)}Entity`;
export const responseName = (type: ContentType): string => `${typeName(type)}EntityResponse`;
export const collectionName = (type: ContentType): string => `${typeName(type)}EntityResponseCollection`;
export const relationCollectionName = (type: ContentType): string => `${typeName(type)}RelationResponseCollection`;
export const connectionName = (type: ContentType): string => `${entityName(type)}Connection`;
export const edgeName = (type: ContentType): string => `${entityName(type)}Edge`;
export const filtersName = (type: ContentType): string => `${typeName(type)}FiltersInput`;
export const inputName = (type: ContentType): string => `${typeName(type)}Input`;

/*
 * The names of the types of quantifiers and groups. They have an underscore, which no name of a content type has, so that none of them is taken.
 */

/** Returns the name of the conditions with quantifiers on media. */
export const quantifiersName = (type: ContentType): string => `${typeName(type)}_QuantifiersInput`;

/** Returns the name of the functions of groups of a type. */
export const aggregateName = (type: ContentType): string => `${typeName(type)}_Aggregate`;

/** Returns the name of the values of a function, by the attributes of a type or component. */
export const figuresName = (type: ContentType, name: FunctionName): string => `${typeName(type)}_${pascalCase(name)}`;

/** Returns the name of the keys of a type: its own attributes, or those of a component in it. */
export const groupByName = (type: ContentType, part: ContentType): string =>
  part === type ? `${typeName(type)}_GroupBy` : `${typeName(type)}_GroupBy_${typeName(part)}`;

/** Returns the name of the entries of a group. */
export const groupEntriesName = (type: ContentType): string => `${typeName(type)}_GroupEntries`;

/** Returns the name of the groups of a type by related entries. */
export const linkGroupName = (type: ContentType, target: ContentType): string => `${typeName(type)}_GroupOf_${typeName(target)}`;

/** Returns the name of the groups of a type by values of a scalar. */
export const scalarGroupName = (type: ContentType, scalar: ScalarType): string =>
  `${typeName(type)}_GroupOf${keyScalarName(scalar)}s`;

/** Returns the name of the scalar that keys of groups have: that of the attribute if JSON has it, otherwise that of texts. */
export function keyScalarName(scalar: ScalarType): 'Boolean' | 'Float' | 'Int' | 'String' {
  const { graphql } = scalarTypes[scalar];
  return graphql === 'Boolean' || graphql === 'Float' || graphql === 'Int' ? graphql : 'String';
}

/** Returns the name of the query of one entry or of a single type. */
export const findOneName = (type: ContentType): string => lowerFirst(typeName(type));
export const findName = (type: ContentType): string => lowerFirst(pascalCase(pluginOf(type)) + pascalCase(type.pluralName));

/** Returns the name of the query of a list by cursors. No content type has a name with an underscore. */
export const findConnectionName = (type: ContentType): string => `${findName(type)}_connection`;

/** Returns the name of the subscription to the changes of a type. */
export const changesName = (type: ContentType): string => `${findName(type)}Changes`;

/** Returns the name of a change of a type. No content type has a name with an underscore. */
export const changeName = (type: ContentType): string => `${typeName(type)}_Change`;

export const zoneName = (type: ContentType, attribute: Attribute): string =>
  `${typeName(type)}${pascalCase(attribute.name)}DynamicZone`;

/** Returns the name of the union of a polymorphic relation with listed targets. */
export const morphName = (type: ContentType, attribute: Attribute): string =>
  `${typeName(type)}${pascalCase(attribute.name)}Morph`;

export const enumName = (type: ContentType, attribute: Attribute & { readonly enumName: string | null }): string =>
  attribute.enumName ?? `ENUM_${typeName(type).toUpperCase()}_${attribute.name.toUpperCase()}`;
