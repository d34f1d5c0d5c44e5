import type { ContentType, Registry, ScalarAttribute } from './content-type.js';

/** A unique attribute inside lists of components. */
export interface UniquePath {
  /** Names from the entry to the attribute. */
  readonly names: readonly string[];
  readonly attribute: ScalarAttribute;
}

/** The field that keeps the values of such an attribute for its index: an index on the path itself would hold nulls as well. */
export const uniqueField = ({ names }: UniquePath): string => `_unique.${names.join('/')}`;

/** The attributes of a type that are unique and stand in repeatable components or dynamic zones, at any depth. */
export const uniquePaths = (type: ContentType, registry: Registry): UniquePath[] => {
  const found = pathsBelow(type, registry, { names: [], inList: false });
  return [...new Map(found.map((path) => [uniqueField(path), path])).values()];
};

interface Place {
  readonly names: readonly string[];
  readonly inList: boolean;
}

function pathsBelow(type: ContentType, registry: Registry, { names, inList }: Place): UniquePath[] {
  if (names.length > 6) return [];
  return [...type.attributes.values()].flatMap((attribute) => {
    const path = [...names, attribute.name];
    if (attribute.kind === 'scalar') return attribute.unique && inList ? [{ names: path, attribute }] : [];
    const held =
      attribute.kind === 'component' ? [attribute.component] : attribute.kind === 'dynamiczone' ? attribute.components : [];
    const isList = attribute.kind === 'dynamiczone' || (attribute.kind === 'component' && attribute.repeatable);
    return held.flatMap((uid) => {
      const component = registry.types.get(uid);
      return component === undefined ? [] : pathsBelow(component, registry, { names: path, inList: inList || isList });
    });
  });
}

/** The values at a path of stored components that are not null. */
export function valuesAt(stored: unknown, [name, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(stored)) return stored.flatMap((part: unknown) => valuesAt(part, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return stored === null || stored === undefined ? [] : [stored];
  return typeof stored === 'object' && stored !== null ? valuesAt((stored as Record<string, unknown>)[name], rest) : [];
}
