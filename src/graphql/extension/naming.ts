import { ValidationError } from '../../errors.js';
import type { Attribute, ContentType } from '../../schema/content-type.js';
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
export type Model = Pick<ContentType, 'uid'>;

type NamedEnum = Parameters<typeof enumName>[1];

function attributeOf(type: ContentType, name: string): Attribute {
  const attribute = type.attributes.get(name);
  if (attribute === undefined) throw new Error(`${type.uid} has no attribute "${name}"`);
  return attribute;
}

const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

interface CustomName {
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

export type Naming = ReturnType<typeof createNaming>;

/** Creates the functions that return the names of generated types and fields, with their names in Strapi v4. */
export function createNaming(typeOf: (model: Model) => ContentType) {
  type NameOf = (model: Model) => string;
  const named =
    (name: (type: ContentType) => string): NameOf =>
    (model) =>
      name(typeOf(model));
  const inside =
    (name: (type: ContentType, attribute: Attribute) => string) =>
    (model: Model, attribute: string): string =>
      name(typeOf(model), attributeOf(typeOf(model), attribute));
  const entityNamed = (end: string): NameOf => named((type) => `${entityName(type)}${end}`);
  const mutation = (verb: string): NameOf => named((type) => `${verb}${typeName(type)}`);
  return {
    getTypeName: named(typeName),
    getComponentName: named(typeName),
    getComponentNameFromAttribute: ({ component }: { readonly component: string }): string =>
      typeName(typeOf({ uid: component })),
    getEntityName: named(entityName),
    getEntityMetaName: entityNamed('Meta'),
    getEntityResponseName: named(responseName),
    getEntityResponseCollectionName: named(collectionName),
    getRelationResponseCollectionName: named(relationCollectionName),
    getEntityQueriesTypeName: entityNamed('Queries'),
    getEntityMutationsTypeName: entityNamed('Mutations'),
    getContentTypeInputName: named(inputName),
    getComponentInputName: named(inputName),
    getFiltersInputTypeName: named(filtersName),
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
    getFindQueryName: named(findName),
    getFindOneQueryName: named(findOneName),
    getCreateMutationTypeName: mutation('create'),
    getUpdateMutationTypeName: mutation('update'),
    getDeleteMutationTypeName: mutation('delete'),
  } as const;
}
