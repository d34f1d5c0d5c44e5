import type { CreateIndexesOptions } from 'mongodb';
import type { ContentType, LinkAttribute, Registry, ScalarAttribute } from '../../schema/content-type.js';
import { scalarTypes, wordedAttributes } from '../../schema/scalar-types.js';
import { listedUniquePaths, sharedUniquePaths } from '../../schema/attribute-places.js';
import { leadField, leading, trigramPath, uniqueField } from '../form/layout.js';
import { notNull } from './compile-condition.js';

/** An index that a content type needs. */
export interface IndexPlan {
  /** The name, which begins with the prefix of the service. */
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1 | 'text'>>;
  readonly options: CreateIndexesOptions;
}

/** The prefix of index names of the service. Other indexes are never touched. */
export const ownIndexes = 'mangrove_';

/**
 * Maximum number of indexes that the service makes in a collection. MongoDB allows 64; the others are left for operators. Unique
 * indexes are never left out.
 */
const maximumIndexes = 48;

/**
 * Returns the indexes of a content type: for lists in the order of publication, creation and update, for owning relations and
 * their rank on the other side, for unique values, and for localization groups. Their benefit was measured.
 */
export const planIndexes = (type: ContentType, registry: Registry): readonly IndexPlan[] => withinLimit(type, registry).planned;

/** Returns the indexes that a content type needs and that are not built, because there would be too many. */
export const indexesLeftOut = (type: ContentType, registry: Registry): readonly IndexPlan[] =>
  withinLimit(type, registry).leftOut;

interface LimitedIndexes {
  readonly planned: readonly IndexPlan[];
  readonly leftOut: readonly IndexPlan[];
}

function withinLimit(type: ContentType, registry: Registry): LimitedIndexes {
  const plans = indexesOf(type, registry);
  const uniques = plans.filter(keepsUnique);
  const others = plans.filter((plan) => !keepsUnique(plan));
  const room = Math.max(maximumIndexes - uniques.length, 0);
  return { planned: [...uniques, ...others.slice(0, room)], leftOut: others.slice(room) };
}

export const keepsUnique = ({ options }: IndexPlan): boolean => options.unique === true;

function indexesOf(type: ContentType, registry: Registry): readonly IndexPlan[] {
  const attributes = [...type.attributes.values()];
  const plans = [
    ...stateIndexes(type),
    ...searchIndexes(type),
    ...(keyFields[type.uid] ?? []).map(keyIndex),
    ...attributes.flatMap((attribute) => {
      if (attribute.kind === 'scalar') return scalarIndexes(type, attribute, '');
      return attribute.kind === 'relation' || attribute.kind === 'media' ? linkIndexes(type, attribute, registry) : [];
    }),
    ...attributes.flatMap((attribute) =>
      attribute.kind === 'component'
        ? partIndexes(type, attribute.component, { prefix: `${attribute.name}.`, inList: attribute.repeatable }, registry)
        : [],
    ),
    ...attributes.flatMap((attribute) =>
      attribute.kind === 'dynamiczone'
        ? attribute.components.flatMap((uid) => partIndexes(type, uid, { prefix: `${attribute.name}.`, inList: true }, registry))
        : [],
    ),
  ];
  const named = new Map(
    [...listedUniques(type, registry), ...sharedUniques(type, registry), ...plans].map((plan) => [plan.name, plan]),
  );
  return [...named.values()];
}

function plan(key: IndexPlan['key'], options: CreateIndexesOptions = {}): IndexPlan {
  const fields = Object.entries(key).map(([field, order]) => (order === 1 ? field : `${field}-`));
  return { name: `${ownIndexes}${fields.join('_')}${options.unique === true ? '_unique' : ''}`, key, options };
}

/**
 * The fields by which the service looks up users: the address at a login, the codes of e-mails, and the id at a login provider.
 */
const keyFields: Readonly<Record<string, readonly string[]>> = {
  'plugin::users-permissions.user': ['email', 'resetPasswordToken', 'confirmationToken', '_subject'],
};

const keyIndex = (field: string): IndexPlan => plan({ [field]: 1 }, { partialFilterExpression: { [field]: notNull.text } });

function stateIndexes({ kind, draftAndPublish, localized }: ContentType): IndexPlan[] {
  const state = draftAndPublish ? ({ publishedAt: -1 } as const) : {};
  return [
    ...(draftAndPublish ? [plan({ publishedAt: -1, _id: -1 })] : []),
    ...(localized ? [plan({ locale: 1, ...state, _id: -1 })] : []),
    ...(localized || kind === 'singleType' ? [onePerLocale] : []),
    plan({ createdAt: -1, _id: -1 }),
    plan({ updatedAt: -1, _id: -1 }),
  ];
}

/** Allows each locale once in a group. A single type has one group, and only one entry if it is not localized. */
const onePerLocale: IndexPlan = plan(
  { _group: 1, locale: 1 },
  { unique: true, partialFilterExpression: { _group: notNull.link } },
);

function scalarIndexes(
  { localized }: ContentType,
  { name, type, unique, indexed }: ScalarAttribute,
  prefix: string,
): IndexPlan[] {
  const path = `${prefix}${name}`;
  if (unique) {
    const partialFilterExpression = { [path]: notNull[scalarTypes[type].stored] };
    return [plan({ [path]: 1, ...(localized && { locale: 1 }) }, { unique: true, partialFilterExpression })];
  }
  return indexed ? [plan({ [path]: -1, _id: -1 })] : [];
}

function linkIndexes({ draftAndPublish }: ContentType, link: LinkAttribute, registry: Registry): IndexPlan[] {
  if (link.storage.kind !== 'own' || link.target === 'admin::user') return [];
  const { name } = link;
  if (link.exclusive) return [plan({ [name]: 1 }, { unique: true, partialFilterExpression: { [name]: notNull.link } })];
  const state = draftAndPublish ? ({ publishedAt: -1 } as const) : {};
  const isSeenInOrder = link.inverse !== null && !link.many && registry.types.has(link.target);
  return [
    plan({ [name]: 1, ...state, _id: -1 }),
    ...(isSeenInOrder ? [plan({ [name]: 1, [`_ranks.${name}`]: 1, _id: 1, ...(draftAndPublish && { publishedAt: 1 }) })] : []),
  ];
}

/**
 * Returns the search indexes: one trigram index for each attribute, and one text index for the words of all, as MongoDB allows
 * only one.
 */
function searchIndexes(type: ContentType): IndexPlan[] {
  const scalars = [...type.attributes.values()].filter((attribute) => attribute.kind === 'scalar');
  const trigrams = scalars.filter(({ search }) => search?.kind === 'trigram');
  return [...trigrams.map(({ name }) => plan({ [trigramPath(name)]: 1 })), ...textIndex(wordedAttributes(type))];
}

function textIndex(attributes: readonly ScalarAttribute[]): IndexPlan[] {
  const [first] = attributes;
  if (first?.search?.kind !== 'language') return [];
  const key = Object.fromEntries(attributes.map(({ name }) => [name, 'text'] as const));
  // without an override a field `language` would name the language of its document
  const options = { default_language: first.search.language, language_override: '_language' };
  return [{ name: textIndexName(attributes), key, options }];
}

/** Returns the name of the full-text index of these attributes, which depends on the language. */
export const textIndexName = (attributes: readonly ScalarAttribute[]): string =>
  `${ownIndexes}text_${attributes.map(({ name, search }) => (search?.kind === 'language' ? `${name}_${search.language}` : name)).join('_')}`;

interface Place {
  readonly prefix: string;
  /** Whether the place is inside a list of components, where unique values have a separate field and index. */
  readonly inList: boolean;
}

/** Returns the indexes of unique attributes inside lists of components, whose values are copied to a separate field. */
const listedUniques = (type: ContentType, registry: Registry): IndexPlan[] =>
  listedUniquePaths(type, registry).map((path) => {
    const field = uniqueField(path);
    const partialFilterExpression = { [field]: notNull[scalarTypes[path.attribute.type].stored] };
    return plan({ [field]: 1, ...(type.localized && { locale: 1 }) }, { unique: true, partialFilterExpression });
  });

/**
 * Returns the indexes of unique values that all locales of an entry share. They contain one entry of each group. The index of the
 * attribute itself, which contains the locale, serves filters.
 */
const sharedUniques = (type: ContentType, registry: Registry): IndexPlan[] =>
  sharedUniquePaths(type, registry).map((path) => {
    const field = uniqueField(path);
    const partialFilterExpression = { [field]: notNull[scalarTypes[path.attribute.type].stored], ...leading };
    return plan({ [field]: 1, [leadField]: 1 }, { unique: true, partialFilterExpression });
  });

/**
 * Returns the indexes of attributes of a component. Links are looked up when their target is deleted; unique values are unique in
 * the whole type.
 */
function partIndexes(owner: ContentType, uid: string, place: Place, registry: Registry): IndexPlan[] {
  const type = registry.types.get(uid);
  const { prefix, inList } = place;
  if (type === undefined || prefix.split('.').length > 6) return [];
  return [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === 'scalar') return attribute.unique && inList ? [] : scalarIndexes(owner, attribute, prefix);
    if (attribute.kind === 'component')
      return partIndexes(
        owner,
        attribute.component,
        { prefix: `${prefix}${attribute.name}.`, inList: inList || attribute.repeatable },
        registry,
      );
    return (attribute.kind === 'relation' || attribute.kind === 'media') && attribute.storage.kind === 'own'
      ? [plan({ [`${prefix}${attribute.name}`]: 1 })]
      : [];
  });
}
