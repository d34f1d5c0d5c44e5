import { memoizePair } from '#base/caches.js';
import type { Attribute, ContentType, LinkAttribute, MorphAttribute, Registry, ScalarAttribute } from './content-type.js';
import { isRecord } from '#base/values.js';
import { componentsOf, listsParts } from './parts.js';

/** The place of an attribute in the documents of a type. */
export interface AttributePlace<Found extends Attribute = Attribute> {
  readonly steps: readonly PlaceStep[];
  /** The type of the entry, then the component behind each step; the last one has the attribute. */
  readonly holders: readonly ContentType[];
  readonly attribute: Found;
}

interface PlaceStep {
  readonly name: string;
  readonly list: boolean;
  /** The uid of the component if the step enters a dynamic zone, which may have other components too; otherwise null. */
  readonly zone: string | null;
}

/** Maximum depth of nested components that are searched, because each level may multiply the places. */
const deepest = 8;

/** Finds the selected attributes of a type, also inside its components and dynamic zones, in the order of the models. */
export function findPlaces<Found extends Attribute>(
  type: ContentType,
  registry: Registry,
  select: (attribute: Attribute) => attribute is Found,
): AttributePlace<Found>[] {
  const below = (holder: ContentType, steps: readonly PlaceStep[], holders: readonly ContentType[]): AttributePlace<Found>[] =>
    [...holder.attributes.values()].flatMap((attribute) => [
      ...(select(attribute) ? [{ steps, holders: [...holders, holder], attribute }] : []),
      ...(steps.length < deepest ? stepsInto(attribute) : []).flatMap(({ uid, step }) => {
        const component = registry.types.get(uid);
        return component === undefined ? [] : below(component, [...steps, step], [...holders, holder]);
      }),
    ]);
  return below(type, [], []);
}

/** Finds the attributes of some names that the type or component `uid` has, in the documents of a type. */
export const placesNamed = (
  type: ContentType,
  registry: Registry,
  { uid, names }: { readonly uid: string; readonly names: readonly string[] },
): AttributePlace[] =>
  findPlaces(type, registry, (attribute): attribute is Attribute => names.includes(attribute.name)).filter(
    ({ holders }) => holders.at(-1)?.uid === uid,
  );

/** Returns the components that an attribute may have, each with the step that leads to it. */
const stepsInto = (attribute: Attribute): readonly { readonly uid: string; readonly step: PlaceStep }[] =>
  componentsOf(attribute).map((uid) => {
    const zone = attribute.kind === 'dynamiczone' ? uid : null;
    return { uid, step: { name: attribute.name, list: listsParts(attribute), zone } };
  });

/** Returns the path in documents, without positions in lists: `editions.code`. */
export const dottedPath = ({ steps, attribute }: AttributePlace): string =>
  [...steps.map(({ name }) => name), attribute.name].join('.');

/** Returns whether an attribute has one value for all locales of an entry. */
export const isShared = (attribute: Attribute | undefined): attribute is Attribute =>
  attribute !== undefined && attribute.added === null && !attribute.localized;

/** A unique attribute of a type, or of a component inside it. */
export interface UniquePath {
  /** Names from the entry to the attribute. */
  readonly names: readonly string[];
  readonly attribute: ScalarAttribute;
  /** Whether the attribute is inside a repeatable component or a dynamic zone, at any depth. */
  readonly inList: boolean;
  /** The components of dynamic zones on the path that have the attribute. Others may have one of that name that is not unique. */
  readonly components: ReadonlySet<string>;
}

/** Returns the unique attributes of a type, at any depth, each once. */
export const uniquePaths = memoizePair((type: ContentType, registry: Registry): readonly UniquePath[] => {
  const paths = new Map<string, UniquePath>();
  for (const place of findPlaces(type, registry, isUnique)) {
    const { steps, attribute } = place;
    const path = dottedPath(place);
    const components = new Set([...(paths.get(path)?.components ?? []), ...steps.flatMap(({ zone }) => zone ?? [])]);
    paths.set(path, { names: path.split('.'), attribute, inList: steps.some(({ list }) => list), components });
  }
  return [...paths.values()];
});

/** Returns whether an attribute has unique values. */
export const isUnique = (attribute: Attribute): attribute is ScalarAttribute => attribute.kind === 'scalar' && attribute.unique;

/**
 * Returns the unique attributes that all locales of an entry share. No entry of another localization group may have their values,
 * in any locale. The entries of a single type are one group.
 */
export const sharedUniquePaths = memoizePair((type: ContentType, registry: Registry): readonly UniquePath[] =>
  type.localized && type.kind === 'collectionType'
    ? uniquePaths(type, registry).filter(({ names: [name = ''] }) => isShared(type.attributes.get(name)))
    : [],
);

/** Returns the unique attributes inside lists, whose values are stored in a separate field for their index. */
export const listedUniquePaths = (type: ContentType, registry: Registry): UniquePath[] =>
  uniquePaths(type, registry).filter(({ inList }) => inList);

/** Returns the values of listed unique paths, by path. Paths without values are left out. */
export const heldUniques = (listed: readonly UniquePath[], values: object): Record<string, readonly unknown[]> =>
  Object.fromEntries(
    listed.flatMap((path) => {
      const held = valuesAt(values, path).map(({ value }) => value);
      return held.length === 0 ? [] : [[path.names.join('/'), held]];
    }),
  );

/** A value at a path of names, and its exact place: the names with the positions in lists between them. */
interface PlacedValue {
  readonly place: readonly string[];
  readonly value: unknown;
}

/**
 * Returns the values at a path of an entry or a body that are not null. Of dynamic zones only those of `components` are read; all if
 * it is absent.
 */
export function valuesAt(
  at: unknown,
  { names, components }: { readonly names: readonly string[]; readonly components?: ReadonlySet<string> | undefined },
  place: readonly string[] = [],
): PlacedValue[] {
  if (Array.isArray(at))
    return at.flatMap((item: unknown, index) => valuesAt(item, { names, components }, [...place, String(index)]));
  const [name, ...rest] = names;
  if (name === undefined) return at === null || at === undefined ? [] : [{ place, value: at }];
  if (!isRecord(at) || !Object.hasOwn(at, name)) return [];
  const uid = at['__component'];
  if (uid !== undefined && components?.has(String(uid)) === false) return [];
  return valuesAt(at[name], { names: rest, components }, [...place, name]);
}

/** A place where documents keep ids of other entries. */
export type LinkPath = AttributePlace<LinkAttribute | MorphAttribute>;

/** Returns all stored links of a type, also inside its components and dynamic zones. */
export const linkPaths = memoizePair((type: ContentType, registry: Registry): readonly LinkPath[] =>
  findPlaces(type, registry, isStoredLink),
);

const isStoredLink = (attribute: Attribute): attribute is LinkAttribute | MorphAttribute =>
  attribute.kind === 'morph'
    ? attribute.writable
    : (attribute.kind === 'relation' || attribute.kind === 'media') && attribute.storage.kind === 'own';

/**
 * Returns the attributes of a type that store files, themselves or in components. Attributes with components come first, because
 * Strapi v4 links the files of an entry after those of its components.
 */
export const fileAttributes = memoizePair((type: ContentType, registry: Registry): readonly string[] => {
  const paths = linkPaths(type, registry).filter(({ attribute }) => attribute.kind === 'media');
  const within = paths.flatMap(({ steps: [step] }) => (step === undefined ? [] : [step.name]));
  const own = paths.flatMap(({ steps, attribute }) => (steps.length === 0 ? [attribute.name] : []));
  return [...new Set([...within, ...own])];
});
