import type { Attribute, ContentType, Registry } from './content-type.js';

/** A place where documents keep ids of other entries: a path of names, with a mark where a step is an array. */
export interface LinkPath {
  readonly steps: readonly { readonly name: string; readonly list: boolean }[];
  /** The types that have the steps, and last the one that has the attribute: the entry's, then those of components. */
  readonly holders: readonly ContentType[];
  readonly attribute: Extract<Attribute, { kind: 'relation' | 'media' | 'morph' }>;
  /** uid of the component in a dynamic zone that the path goes through, by the index of its step. */
  readonly zones: ReadonlyMap<number, string>;
}

const known = new WeakMap<Registry, Map<ContentType, readonly LinkPath[]>>();

/** All stored links of a type, inside its components and dynamic zones too. Walks a type of a registry once. */
export function linkPaths(type: ContentType, registry: Registry): readonly LinkPath[] {
  const paths = known.get(registry) ?? new Map<ContentType, readonly LinkPath[]>();
  known.set(registry, paths);
  const found = paths.get(type) ?? findPaths(type, registry, 0);
  paths.set(type, found);
  return found;
}

function findPaths(type: ContentType, registry: Registry, depth: number): LinkPath[] {
  if (depth > 8) return [];
  return [...type.attributes.values()].flatMap((attribute): LinkPath[] => {
    switch (attribute.kind) {
      case 'scalar':
        return [];
      case 'relation':
      case 'media':
        return attribute.storage.kind === 'own' ? [ownPath(type, attribute)] : [];
      case 'morph':
        return attribute.writable ? [ownPath(type, attribute)] : [];
      case 'component':
        return below(attribute.component, { type, name: attribute.name, list: attribute.repeatable }, registry, depth);
      case 'dynamiczone':
        return attribute.components.flatMap((uid) =>
          below(uid, { type, name: attribute.name, list: true }, registry, depth).map((path) => ({
            ...path,
            zones: new Map([...path.zones, [0, uid]]),
          })),
        );
    }
  });
}

const ownPath = (type: ContentType, attribute: LinkPath['attribute']): LinkPath => ({
  steps: [],
  holders: [type],
  attribute,
  zones: new Map(),
});

interface Step {
  readonly type: ContentType;
  readonly name: string;
  readonly list: boolean;
}

function below(uid: string, { type, name, list }: Step, registry: Registry, depth: number): LinkPath[] {
  const component = registry.types.get(uid);
  if (component === undefined) return [];
  return findPaths(component, registry, depth + 1).map(({ steps, holders, attribute, zones }) => ({
    attribute,
    steps: [{ name, list }, ...steps],
    holders: [type, ...holders],
    zones: new Map([...zones].map(([index, zone]) => [index + 1, zone])),
  }));
}
