import { ValidationError } from '#base/errors.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { mapValues } from '#base/values.js';
import {
  collectionName,
  entityName,
  enumName,
  filtersName,
  findName,
  findOneName,
  inputName,
  morphName,
  relationCollectionName,
  responseName,
  typeName,
  zoneName,
} from '../type-names.js';

/** A content type or component in any form: code of a project has models as Strapi v4 describes them. */
export type ModelLike = Pick<ContentType, 'uid'>;

type NamedEnum = Parameters<typeof enumName>[1];

function attributeOf(type: ContentType, name: string): Attribute {
  const attribute = type.attributes.get(name);
  if (attribute === undefined) throw new Error(`${type.uid} has no attribute "${name}"`);
  return attribute;
}

const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

export interface CustomName {
  readonly prefix?: string;
  readonly suffix?: string;
  readonly plurality?: 'singular' | 'plural';
  readonly firstLetterCase?: 'upper' | 'lower';
}

/** Returns the part of a custom name that depends on the type. Throws a ValidationError for an unknown plurality. */
function ownName({ plurality = 'singular', firstLetterCase = 'upper' }: CustomName): (type: ContentType) => string {
  if (!['singular', 'plural'].includes(plurality))
    throw new ValidationError(`"plurality" must be "plural" or "singular", not "${plurality}"`);
  const nameOf = plurality === 'plural' ? findName : findOneName;
  return firstLetterCase === 'upper' ? (type) => upperFirst(nameOf(type)) : nameOf;
}

/** Functions that return a name for a content type or component, with their names in Strapi v4. */
const namesOfTypes = {
  getTypeName: typeName,
  getComponentName: typeName,
  getEntityName: entityName,
  getEntityMetaName: (type: ContentType) => `${entityName(type)}Meta`,
  getEntityResponseName: responseName,
  getEntityResponseCollectionName: collectionName,
  getRelationResponseCollectionName: relationCollectionName,
  getEntityQueriesTypeName: (type: ContentType) => `${entityName(type)}Queries`,
  getEntityMutationsTypeName: (type: ContentType) => `${entityName(type)}Mutations`,
  getContentTypeInputName: inputName,
  getComponentInputName: inputName,
  getFiltersInputTypeName: filtersName,
  getFindQueryName: findName,
  getFindOneQueryName: findOneName,
  getCreateMutationTypeName: (type: ContentType) => `create${typeName(type)}`,
  getUpdateMutationTypeName: (type: ContentType) => `update${typeName(type)}`,
  getDeleteMutationTypeName: (type: ContentType) => `delete${typeName(type)}`,
} as const;

export type NameOf = (model: ModelLike) => string;

export type Naming = ReturnType<typeof createNaming>;

/** Creates the functions that return the names of generated types and fields, with their names in Strapi v4. */
export function createNaming(typeOf: (model: ModelLike) => ContentType) {
  const named =
    (name: (type: ContentType) => string): NameOf =>
    (model) =>
      name(typeOf(model));
  const inside =
    (name: (type: ContentType, attribute: Attribute) => string) =>
    (model: ModelLike, attribute: string): string =>
      name(typeOf(model), attributeOf(typeOf(model), attribute));
  return {
    ...(mapValues(namesOfTypes, named) as Record<keyof typeof namesOfTypes, NameOf>), // has the same keys
    getComponentNameFromAttribute: ({ component }: { readonly component: string }): string =>
      typeName(typeOf({ uid: component })),
    getScalarFilterInputTypeName: (scalar: string): string => `${scalar}FilterInput`,
    getEnumName: inside((type, attribute) => enumName(type, attribute as NamedEnum)), // callers pass only enumerations
    getDynamicZoneName: inside(zoneName),
    getDynamicZoneInputName: inside((type, attribute) => `${zoneName(type, attribute)}Input`),
    getMorphRelationTypeName: inside(morphName),
    buildCustomTypeNameGenerator: (options: CustomName = {}): NameOf => {
      const { prefix = '', suffix = '' } = options;
      const own = ownName(options);
      return named((type) => `${prefix}${own(type)}${suffix}`);
    },
  } as const;
}
