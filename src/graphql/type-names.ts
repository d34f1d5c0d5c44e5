import type { Attribute, ContentType } from '../schema/content-type.js';
import { pascalCase, pluginOf, typeName } from '../schema/names.js';

export { typeName };

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Attributes may have hyphens in their names, fields may not: those are left out. */
export const isGraphqlName = (name: string): boolean => !name.includes('-');

export const entityName = (type: ContentType): string => `${typeName(type)}Entity`;
export const responseName = (type: ContentType): string => `${typeName(type)}EntityResponse`;
export const collectionName = (type: ContentType): string => `${typeName(type)}EntityResponseCollection`;
export const relationCollectionName = (type: ContentType): string => `${typeName(type)}RelationResponseCollection`;
export const filtersName = (type: ContentType): string => `${typeName(type)}FiltersInput`;
export const inputName = (type: ContentType): string => `${typeName(type)}Input`;

/** The query of one entry, and of a single type. */
export const findOneName = (type: ContentType): string => lowerFirst(typeName(type));
export const findName = (type: ContentType): string => lowerFirst(pascalCase(pluginOf(type)) + pascalCase(type.pluralName));

export const zoneName = (type: ContentType, attribute: Attribute): string =>
  `${typeName(type)}${pascalCase(attribute.name)}DynamicZone`;

/** The union of a polymorphic relation that names its targets. */
export const morphName = (type: ContentType, attribute: Attribute): string =>
  `${typeName(type)}${pascalCase(attribute.name)}Morph`;

export const enumName = (type: ContentType, attribute: Attribute & { readonly enumName: string | null }): string =>
  attribute.enumName ?? `ENUM_${typeName(type).toUpperCase()}_${attribute.name.toUpperCase()}`;
