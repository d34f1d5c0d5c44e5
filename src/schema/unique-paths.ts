import type { ContentType, Registry, ScalarAttribute } from './content-type.js';

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
export function uniquePaths(type: ContentType, registry: Registry): readonly UniquePath[] {
  const known = found.get(registry)?.get(type);
  if (known !== undefined) return known;
  const paths = pathsBelow(type, registry, { names: [], inList: false });
  const distinct = [...new Map(paths.map((path) => [uniqueField(path), path])).values()];
  found.set(registry, (found.get(registry) ?? new Map<ContentType, readonly UniquePath[]>()).set(type, distinct));
  return distinct;
}

const found = new WeakMap<Registry, Map<ContentType, readonly UniquePath[]>>();

/** The unique attributes that need a field of their own for their index. */
export const listedUniquePaths = (type: ContentType, registry: Registry): UniquePath[] =>
  uniquePaths(type, registry).filter(({ inList }) => inList);

interface Place {
  readonly names: readonly string[];
  readonly inList: boolean;
}

function pathsBelow(type: ContentType, registry: Registry, { names, inList }: Place): UniquePath[] {
  if (names.length > 6) return [];
  return [...type.attributes.values()].flatMap((attribute) => {
    const path = [...names, attribute.name];
    if (attribute.kind === 'scalar') return attribute.unique ? [{ names: path, attribute, inList }] : [];
    const held =
      attribute.kind === 'component' ? [attribute.component] : attribute.kind === 'dynamiczone' ? attribute.components : [];
    const isList = attribute.kind === 'dynamiczone' || (attribute.kind === 'component' && attribute.repeatable);
    return held.flatMap((uid) => {
      const component = registry.types.get(uid);
      return component === undefined ? [] : pathsBelow(component, registry, { names: path, inList: inList || isList });
    });
  });
}

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
