import { addedTo, type Shape, shapeOf } from '#model/schema/added-attributes.js';
import { isRecord, kebabCase, type Values } from '#base/values.js';

/** Returns attributes of one type. */
export const scalars = (type: string, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { type }]));

/** A model as Strapi v3 stores it in `core_store`. */
export interface V3Model {
  /** The uid in the form of Strapi v4: `api::article.article`. */
  readonly uid: string;
  /** The name that relations refer to, such as `article`. */
  readonly name: string;
  readonly plugin: string | null;
  readonly collection: string;
  readonly attributes: Readonly<Record<string, Values>>;
  readonly definition: Values;
}

/** Returns the model of a definition of Strapi v3; null if it is not a model, or belongs to the admin panel. */
export function readV3Model(definition: unknown): V3Model | null {
  if (!isRecord(definition) || !isRecord(definition['attributes'])) return null;
  const { uid, collectionName, attributes } = definition;
  if (typeof uid !== 'string' || typeof collectionName !== 'string' || uid.startsWith('strapi::')) return null;
  const [, origin, owner = '', name = ''] = /^(?:(application|plugins)::)?([^.]+)\.(.+)$/.exec(uid) ?? [];
  const prefix = origin === undefined ? '' : origin === 'plugins' ? 'plugin::' : 'api::';
  return {
    uid: `${prefix}${prefix === 'api::' ? kebabCase(owner) : owner}.${prefix === 'api::' ? kebabCase(name) : name}`,
    name,
    plugin: origin === 'plugins' ? owner : null,
    collection: collectionName,
    attributes: Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, Values] => isRecord(entry[1]))),
    definition,
  };
}

/** Returns the names of the attributes with the dates of creation and update, which a model may choose. */
export function stampNames({ definition }: V3Model): readonly [created: string, updated: string] {
  const options = isRecord(definition['options']) ? definition['options'] : {};
  const names: unknown = options['timestamps'];
  const [created = 'createdAt', updated = 'updatedAt'] = Array.isArray(names) ? names.map(String) : [];
  return [created, updated];
}

/** Returns what decides which attributes are added to the type or component of a model. */
export const shapeOfV3 = ({ uid, definition }: V3Model): Shape => shapeOf({ ...definition, uid });

/** Returns the names of the attributes that Strapi v3 adds to a model. It adds none to components. */
function addedByV3(model: V3Model): ReadonlySet<string> {
  const { kind, draftAndPublish, localized } = shapeOfV3(model);
  if (kind === 'component') return new Set();
  return new Set([
    ...['created_by', 'updated_by', ...stampNames(model)],
    ...(draftAndPublish ? ['published_at'] : []),
    ...(localized ? ['localizations', 'locale'] : []),
  ]);
}

type OwnAttribute = readonly [name: string, attribute: Values];

/** Returns the attributes that the project defines, except for those of `takenAttributes`. */
export const ownAttributes = (model: V3Model): readonly OwnAttribute[] => definedAttributes(model, false);

/** Returns the attributes that the project defines under names that the service adds to types itself, so that they cannot be stored. */
export const takenAttributes = (model: V3Model): readonly OwnAttribute[] => definedAttributes(model, true);

function definedAttributes(model: V3Model, areTaken: boolean): readonly OwnAttribute[] {
  const [added, taken] = [addedByV3(model), addedTo(shapeOfV3(model))];
  return Object.entries(model.attributes).filter(([name]) => !added.has(name) && taken.has(name) === areTaken);
}

/** A relation of Strapi v3, converted to v4. */
interface V3Relation {
  /** The attribute as Strapi v4 defines it. */
  readonly definition: Values;
  readonly kind: 'media' | 'link' | 'morph';
  readonly target: V3Model | null;
  /** Whether the documents of this side store the ids that are imported. */
  readonly storesIds: boolean;
}

/** Returns the relation of an attribute; null if it is not a relation, or its model does not exist. */
export function relationOf(model: V3Model, name: string, models: readonly V3Model[]): V3Relation | null {
  const attribute = model.attributes[name] ?? {};
  const many = typeof attribute['collection'] === 'string';
  const targetName = many ? attribute['collection'] : attribute['model'];
  if (typeof targetName !== 'string') return null;
  if (targetName === '*') return morphRelation(many);
  const plugin = typeof attribute['plugin'] === 'string' ? attribute['plugin'] : null;
  if (targetName === 'file' && plugin === 'upload') return mediaRelation(attribute, many, models);
  const target = models.find((other) => other.name === targetName && other.plugin === plugin);
  if (target === undefined) return null;
  return linkRelation({ model, name, attribute, many }, target);
}

const morphRelation = (many: boolean): V3Relation => ({
  definition: { type: 'relation', relation: many ? 'morphToMany' : 'morphToOne' },
  kind: 'morph',
  target: null,
  storesIds: true,
});

const mediaRelation = ({ allowedTypes, required }: Values, multiple: boolean, models: readonly V3Model[]): V3Relation => ({
  definition: {
    type: 'media',
    multiple,
    ...(Array.isArray(allowedTypes) && { allowedTypes: allowedTypes as unknown }),
    required: required === true,
  },
  kind: 'media',
  target: models.find(({ uid }) => uid === 'plugin::upload.file') ?? null,
  storesIds: true,
});

interface LinkSide {
  readonly model: V3Model;
  readonly name: string;
  readonly attribute: Values;
  readonly many: boolean;
}

/**
 * Returns a relation between two models. Several entries may share a target if there is no attribute on the other side, as in
 * Strapi v3.
 */
function linkRelation({ model, name, attribute, many }: LinkSide, target: V3Model): V3Relation {
  const via = typeof attribute['via'] === 'string' ? attribute['via'] : null;
  const other = via === null ? undefined : target.attributes[via];
  const link = (relation: string, sides: Values, keeps: boolean): V3Relation => ({
    definition: { type: 'relation', relation, target: target.uid, ...sides },
    kind: 'link',
    target,
    storesIds: keeps,
  });
  if (via === null || other === undefined) return link(many ? 'manyToMany' : 'oneToOne', {}, true);
  if (other['model'] === '*' || other['collection'] === '*')
    return link(many ? 'morphMany' : 'morphOne', { morphBy: via }, false);
  const otherMany = typeof other['collection'] === 'string';
  if (many && !otherMany) return link('oneToMany', { mappedBy: via }, false);
  if (!many && otherMany) return link('manyToOne', { inversedBy: via }, true);
  const owns = attribute['dominant'] === true || (other['dominant'] !== true && `${model.uid} ${name}` < `${target.uid} ${via}`);
  return link(many ? 'manyToMany' : 'oneToOne', owns ? { inversedBy: via } : { mappedBy: via }, owns);
}

/** Keys of attributes that have the same meaning in Strapi v4. */
const sameKeys = [
  ...['type', 'required', 'unique', 'private', 'default', 'min', 'max', 'minLength', 'maxLength', 'regex', 'enum', 'enumName'],
  ...['targetField', 'component', 'components', 'repeatable', 'pluginOptions', 'options'],
];

/** Returns a model in the form of Strapi v4. */
export function toSchema(model: V3Model, models: readonly V3Model[]): Values {
  const { definition, uid, collection } = model;
  const attributes = ownAttributes(model).flatMap(([name, attribute]) => {
    const relation = relationOf(model, name, models);
    if (relation !== null) return [[name, relation.definition] as const];
    if (typeof attribute['type'] !== 'string') return [];
    return [[name, Object.fromEntries(Object.entries(attribute).filter(([key]) => sameKeys.includes(key)))] as const];
  });
  const info = isRecord(definition['info']) ? definition['info'] : {};
  const isType = uid.includes('::');
  const names = isType ? namesOf(model) : {};
  const { draftAndPublish } = shapeOfV3(model);
  return {
    uid,
    ...(isType && { kind: definition['kind'] ?? 'collectionType' }),
    collectionName: collection,
    info: { displayName: String(info['name'] ?? model.name), description: String(info['description'] ?? ''), ...names },
    options: { draftAndPublish },
    pluginOptions: isRecord(definition['pluginOptions']) ? definition['pluginOptions'] : {},
    attributes: Object.fromEntries(attributes),
  };
}

/** Returns singular and plural name. Strapi v3 names collections in the plural, and so some types too, such as `statistics`. */
function namesOf({ name, collection }: V3Model): Values {
  const singularName = kebabCase(name);
  const pluralName = kebabCase(collection);
  if (pluralName !== singularName) return { singularName, pluralName };
  const one = singularOf(singularName);
  return one === singularName ? { singularName, pluralName: `${singularName}s` } : { singularName: one, pluralName };
}

/** Returns the singular of an English word in the plural, and other words unchanged. */
const singularOf = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : /[^s]s$/.test(word) ? word.slice(0, -1) : word;
