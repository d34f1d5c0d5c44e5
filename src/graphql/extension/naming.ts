import type { Attribute, ContentType } from '../../schema/content-type.js';
import {
  collectionName,
  entityName,
  enumName,
  filtersName,
  findName,
  findOneName,
  inputName,
  relationCollectionName,
  responseName,
  typeName,
  zoneName,
} from '../type-names.js';

type NamedEnum = Parameters<typeof enumName>[1];

const enumOf = (type: ContentType, attribute: string): string => enumName(type, attributeOf(type, attribute) as NamedEnum); // asked about enumerations only

function attributeOf(type: ContentType, name: string): Attribute {
  const attribute = type.attributes.get(name);
  if (attribute === undefined) throw new Error(`${type.uid} has no attribute "${name}"`);
  return attribute;
}

/** The names of generated types and fields, by content type, under the names that Strapi v4 gives these functions. */
export const naming = {
  getTypeName: typeName,
  getComponentName: typeName,
  getEntityName: entityName,
  getEntityResponseName: responseName,
  getEntityResponseCollectionName: collectionName,
  getRelationResponseCollectionName: relationCollectionName,
  getContentTypeInputName: inputName,
  getComponentInputName: inputName,
  getFiltersInputTypeName: filtersName,
  getScalarFilterInputTypeName: (scalar: string): string => `${scalar}FilterInput`,
  getEnumName: enumOf,
  getDynamicZoneName: (type: ContentType, attribute: string): string => zoneName(type, attributeOf(type, attribute)),
  getDynamicZoneInputName: (type: ContentType, attribute: string): string =>
    `${zoneName(type, attributeOf(type, attribute))}Input`,
  getFindQueryName: findName,
  getFindOneQueryName: findOneName,
  getCreateMutationTypeName: (type: ContentType): string => `create${typeName(type)}`,
  getUpdateMutationTypeName: (type: ContentType): string => `update${typeName(type)}`,
  getDeleteMutationTypeName: (type: ContentType): string => `delete${typeName(type)}`,
} as const;
