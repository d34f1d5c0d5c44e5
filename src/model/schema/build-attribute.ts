import {
  type Attribute,
  type LinkAttribute,
  type LinkStorage,
  type MorphAttribute,
  type ScalarAttribute,
  uploadFile,
} from './content-type.js';
import { collationOfAttribute } from './collation.js';
import { targetsOf, type AttributeDefinition, type Model } from './model.js';
import { isScalarType } from './scalar-types.js';

type CommonParts = Pick<Attribute, 'name' | 'required' | 'private' | 'writable' | 'added' | 'visible' | 'localized'>;

/**
 * Returns the attribute of a checked definition, with values for all options. `privateNames` are made private by the type or the
 * service.
 */
export function buildAttribute(
  name: string,
  definition: AttributeDefinition,
  model: Model,
  privateNames: ReadonlySet<string>,
): Attribute {
  const common = buildCommon(name, definition, model, privateNames);
  if (isScalarType(definition.type))
    return buildScalar(common, definition, definition.type, collationOfAttribute(definition, model));
  switch (definition.type) {
    case 'component':
      return {
        ...common,
        kind: 'component',
        component: definition.component ?? '',
        repeatable: definition.repeatable === true,
        ...itemLimits(definition),
      };
    case 'dynamiczone':
      return { ...common, kind: 'dynamiczone', components: definition.components ?? [], ...itemLimits(definition) };
    case 'media':
      return buildMedia(common, definition);
    default:
      return buildRelation(common, definition);
  }
}

function buildCommon(
  name: string,
  definition: AttributeDefinition,
  model: Model,
  privateNames: ReadonlySet<string>,
): CommonParts {
  const typeLocalized = model.pluginOptions?.['i18n']?.localized === true;
  const alwaysLocalized = definition.type === 'relation' || definition.type === 'uid';
  const isNamed = privateNames.has(name) || (definition.renamedFrom !== undefined && privateNames.has(definition.renamedFrom));
  return {
    name,
    required: definition.required === true,
    private: definition.private === true || definition.type === 'password' || isNamed,
    writable: definition.writable !== false,
    added: null,
    visible: definition.visible !== false,
    localized: !typeLocalized || alwaysLocalized || definition.pluginOptions?.['i18n']?.localized === true,
  };
}

/** Returns a scalar attribute, with values for all options. `collation` is null if its texts are sorted by code points. */
export function buildScalar(
  common: CommonParts,
  definition: AttributeDefinition,
  type: ScalarAttribute['type'],
  collation: string | null = null,
): ScalarAttribute {
  return {
    ...common,
    kind: 'scalar',
    type,
    unique: definition.unique === true || type === 'uid',
    indexed: definition.index === true,
    ...(collation !== null && { collation }),
    searchable: definition.searchable !== false,
    search: buildSearch(definition),
    default: definition.default,
    min: definition.min ?? null,
    max: definition.max ?? null,
    minLength: definition.minLength ?? null,
    maxLength: definition.maxLength ?? null,
    regex: definition.regex ? new RegExp(definition.regex) : null,
    enum: definition.enum ?? [],
    enumName: definition.enumName ?? null,
    targetField: definition.targetField ?? null,
    generate: definition.options?.['generate'] === true,
  };
}

function buildSearch({ search }: AttributeDefinition): ScalarAttribute['search'] {
  if (search === undefined) return null;
  return typeof search === 'string' ? { kind: 'trigram' } : { kind: 'language', language: search.language };
}

const itemLimits = ({ min, max }: AttributeDefinition) => ({ min: integerOrNull(min), max: integerOrNull(max) });
const integerOrNull = (value: unknown): number | null => (Number.isInteger(value) ? Number(value) : null);

function buildMedia(common: CommonParts, definition: AttributeDefinition): LinkAttribute {
  const many = definition.multiple === true;
  const allowedTypes = definition.allowedTypes ?? [];
  return {
    ...common,
    kind: 'media',
    relation: many ? 'morphMany' : 'morphOne',
    target: uploadFile,
    many,
    storage: { kind: 'own' },
    inverse: null,
    exclusive: false,
    dangling: false,
    allowedTypes,
  };
}

function buildRelation(common: CommonParts, definition: AttributeDefinition): LinkAttribute | MorphAttribute {
  const relation = definition.relation ?? '';
  if (relation === 'morphToOne' || relation === 'morphToMany')
    return { ...common, kind: 'morph', relation, many: relation === 'morphToMany', targets: morphTargets(definition) };
  const inverse = [definition.inversedBy, definition.mappedBy].find(Boolean) ?? null;
  return {
    ...common,
    kind: 'relation',
    relation,
    target: targetsOf(definition)[0] ?? '',
    many: relation.endsWith('Many'),
    storage: linkStorage(definition),
    inverse,
    exclusive: inverse !== null && relation.startsWith('oneTo'),
    dangling: definition.dangling === true,
    allowedTypes: [],
  };
}

const morphTargets = (definition: AttributeDefinition): readonly string[] | null =>
  definition.target === undefined ? null : targetsOf(definition);

function linkStorage({ mappedBy, morphBy, dangling }: AttributeDefinition): LinkStorage {
  if (dangling === true) return { kind: 'own' };
  if (mappedBy) return { kind: 'inverse', field: mappedBy };
  return morphBy ? { kind: 'morph', field: morphBy } : { kind: 'own' };
}
