import { findPlaces, oncePerType } from './attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from './content-type.js';

/** A unique attribute of a type, or of a component inside it. */
export interface UniquePath {
  /** Names from the entry to the attribute. */
  readonly names: readonly string[];
  readonly attribute: ScalarAttribute;
  /** Inside a repeatable component or a dynamic zone, at any depth. */
  readonly inList: boolean;
}

/**
 * The document field whose index makes the attribute unique. Values in lists have a field of their own beside them: an index on
 * the path itself would hold nulls as well.
 */
export const uniqueField = ({ names, inList }: UniquePath): string => (inList ? `_unique.${names.join('/')}` : names.join('.'));

/** The unique attributes of a type, at any depth, each field once. */
export const uniquePaths = oncePerType((type, registry): readonly UniquePath[] => {
  const paths = findPlaces(type, registry, isUnique).map(({ steps, attribute }) => ({
    names: [...steps.map(({ name }) => name), attribute.name],
    attribute,
    inList: steps.some(({ list }) => list),
  }));
  return [...new Map(paths.map((path) => [uniqueField(path), path])).values()];
});

const isUnique = (attribute: Attribute): attribute is ScalarAttribute => attribute.kind === 'scalar' && attribute.unique;

/** The unique attributes that need a field of their own for their index. */
export const listedUniquePaths = (type: ContentType, registry: Registry): UniquePath[] =>
  uniquePaths(type, registry).filter(({ inList }) => inList);

/** A value at a path of names, and where exactly it stands: the names with the positions in lists between them. */
export interface PlacedValue {
  readonly place: readonly string[];
  readonly value: unknown;
}

/** The values at a path of an entry, or of a body, that are not null. */
export function valuesAt(at: unknown, names: readonly string[], place: readonly string[] = []): PlacedValue[] {
  if (Array.isArray(at)) return at.flatMap((item: unknown, index) => valuesAt(item, names, [...place, String(index)]));
  const [name, ...rest] = names;
  if (name === undefined) return at === null || at === undefined ? [] : [{ place, value: at }];
  if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return [];
  return valuesAt((at as Readonly<Record<string, unknown>>)[name], rest, [...place, name]); // an object, which has the name
}
