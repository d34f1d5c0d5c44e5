import type { CreateIndexesOptions, Document } from 'mongodb';
import type { Attribute, ContentType, LinkAttribute, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes, type Stored, wordedAttributes } from '#model/schema/scalar-types.js';
import {
  type AttributePlace,
  dottedPath,
  findPlaces,
  listedUniquePaths,
  sharedUniquePaths,
} from '#model/schema/attribute-places.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { jsonIndexesOf } from '#model/schema/json-options.js';
import { draftMark } from '../form/draft.js';
import { localeGroup, trigramPath, uniqueFields } from '../form/layout.js';
import { notNull } from './compile-condition.js';

/** An index that a content type needs. */
export interface IndexPlan {
  /** The name, which begins with the prefix of the service. */
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1 | 'text' | '2dsphere'>>;
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

function withinLimit(type: ContentType, registry: Registry) {
  const plans = indexesOf(type, registry);
  const uniques = plans.filter(keepsUnique);
  const others = plans.filter((plan) => !keepsUnique(plan));
  const room = Math.max(maximumIndexes - uniques.length, 0);
  return { planned: [...uniques, ...others.slice(0, room)], leftOut: others.slice(room) };
}

export const keepsUnique = ({ options }: IndexPlan): boolean => options.unique === true;

function indexesOf(type: ContentType, registry: Registry): readonly IndexPlan[] {
  const places = findPlaces(type, registry, isIndexed).sort((a, b) => nestingOf(a) - nestingOf(b));
  const plans = [
    ...listedUniques(type, registry),
    ...sharedUniques(type, registry),
    ...stateIndexes(type),
    ...searchIndexes(type),
    ...(keyFields[type.uid] ?? []).map(keyIndex),
    ...places.flatMap((place) => indexesAt(place, type, registry)),
    ...jsonIndexesOf(type).map((path) => plan({ [path]: 1 }, { sparse: true })),
    ...(keepsDrafts(type) ? [plan({ [draftMark]: 1 }, { sparse: true })] : []),
  ];
  return [...new Map(plans.map((one) => [one.name, one])).values()];
}

type IndexedPlace = AttributePlace<ScalarAttribute | LinkAttribute>;

const isIndexed = (attribute: Attribute): attribute is ScalarAttribute | LinkAttribute =>
  attribute.kind === 'scalar' || attribute.kind === 'relation' || attribute.kind === 'media';

/** Returns how early indexes are made: those of the entry itself first, then those in components, then those in dynamic zones. */
const nestingOf = ({ steps: [step] }: IndexedPlace): number => (step === undefined ? 0 : step.zone === null ? 1 : 2);

/**
 * Returns the indexes of an attribute. Links in components are looked up when their target is deleted. Unique values in lists of
 * components have a separate field and index.
 */
function indexesAt(place: IndexedPlace, type: ContentType, registry: Registry): IndexPlan[] {
  const { attribute, steps } = place;
  if (attribute.kind === 'scalar')
    return attribute.unique && steps.some(({ list }) => list) ? [] : scalarIndexes(type, attribute, place);
  if (attribute.storage.kind !== 'own') return [];
  return steps.length === 0 ? linkIndexes(type, attribute, registry) : [plan({ [dottedPath(place)]: 1 })];
}

function plan(key: IndexPlan['key'], options: CreateIndexesOptions = {}): IndexPlan {
  const fields = Object.entries(key).map(([field, order]) =>
    order === 1 ? field : `${field}${order === -1 ? '-' : `_${order}`}`,
  );
  return { name: `${ownIndexes}${fields.join('_')}${options.unique === true ? '_unique' : ''}`, key, options };
}

/**
 * The fields by which the service looks up users: the address at a login, the codes of e-mails, and the id at a login provider.
 */
const keyFields: Readonly<Record<string, readonly string[]>> = {
  'plugin::users-permissions.user': ['email', 'resetPasswordToken', 'confirmationToken', '_subject'],
};

const keyIndex = (field: string): IndexPlan => plan({ [field]: 1 }, { partialFilterExpression: { [field]: notNull.text } });

function stateIndexes({ kind, draftAndPublish, localized, attributes }: ContentType): IndexPlan[] {
  const state = draftAndPublish ? ({ publishedAt: -1 } as const) : {};
  return [
    ...(draftAndPublish ? [plan({ publishedAt: -1, _id: -1 })] : []),
    ...(localized ? [plan({ locale: 1, ...state, _id: -1 })] : []),
    ...(localized || kind === 'singleType' ? [localized || !attributes.has('locale') ? onePerLocale : onePerGroup] : []),
    plan({ createdAt: -1, _id: -1 }),
    plan({ updatedAt: -1, _id: -1 }),
  ];
}

/** Returns an index that allows each value of a field once, for each value of other keys. It contains no nulls. */
const uniqueIndex = (field: string, stored: Stored, { key = {}, filter = {} }: Partial<Uniqueness> = {}): IndexPlan =>
  plan({ [field]: 1, ...key }, { unique: true, partialFilterExpression: { [field]: notNull[stored], ...filter } });

interface Uniqueness {
  readonly key: IndexPlan['key'];
  /** What the documents in the index meet. */
  readonly filter: Document;
}

const perLocale = { key: { locale: 1 } } as const;

/** Allows each locale once in a group. A single type has one group, and only one entry if it is not localized. */
const onePerLocale = uniqueIndex('_group', 'link', perLocale);

/** Allows one entry in a group. */
const onePerGroup = uniqueIndex('_group', 'link');

function scalarIndexes(
  { localized }: ContentType,
  { type, unique, indexed, collation }: ScalarAttribute,
  place: AttributePlace,
): IndexPlan[] {
  const path = dottedPath(place);
  if (type === 'point') return isOfOneType(place) ? [placeIndex(path)] : [];
  const sorted = indexed && collation !== undefined ? [collatedIndex(path, collation)] : [];
  if (unique) return [uniqueIndex(path, scalarTypes[type].stored, localized ? perLocale : {}), ...sorted];
  return indexed ? [plan({ [path]: -1, _id: -1 }), ...sorted] : [];
}

/** Returns an index of the order of a language. Filters, which no collation changes, have one of their own. */
function collatedIndex(path: string, locale: string): IndexPlan {
  const own = plan({ [path]: -1, _id: -1 }, { collation: { locale } });
  return { ...own, name: `${own.name}_${locale}` };
}

/** Returns whether each value at a place is of the same attribute, so that no other value can be refused by an index of places. */
const isOfOneType = ({ steps }: AttributePlace): boolean => steps.every(({ zone }) => zone === null);

/** Returns an index of places. It has no other values, which it would refuse. */
const placeIndex = (path: string): IndexPlan =>
  plan({ [path]: '2dsphere' }, { partialFilterExpression: { [`${path}.type`]: 'Point' } });

function linkIndexes({ draftAndPublish }: ContentType, link: LinkAttribute, registry: Registry): IndexPlan[] {
  if (link.target === 'admin::user') return [];
  const { name } = link;
  if (link.exclusive) return [uniqueIndex(name, 'link')];
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

/** Returns the indexes of unique attributes inside lists of components, whose values are copied to a separate field. */
const listedUniques = (type: ContentType, registry: Registry): IndexPlan[] =>
  listedUniquePaths(type, registry).map((path) =>
    uniqueIndex(uniqueFields.field(path), scalarTypes[path.attribute.type].stored, type.localized ? perLocale : {}),
  );

/**
 * Returns the indexes of unique values that all locales of an entry share. They contain one entry of each group. The index of the
 * attribute itself, which contains the locale, serves filters.
 */
const sharedUniques = (type: ContentType, registry: Registry): IndexPlan[] =>
  sharedUniquePaths(type, registry).map((path) =>
    uniqueIndex(uniqueFields.field(path), scalarTypes[path.attribute.type].stored, {
      key: { [localeGroup.leadField]: 1 },
      filter: localeGroup.leading,
    }),
  );
