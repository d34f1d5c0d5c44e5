import { memoize } from '#base/caches.js';
import type { Registry } from './content-type.js';

/** An attribute of a type. */
export interface AttributeName {
  readonly uid: string;
  readonly name: string;
}

/** The attributes that show the links of a relation from the other side, by uid and name of the relation. */
type OtherSides = ReadonlyMap<string, ReadonlyMap<string, readonly AttributeName[]>>;

/**
 * Returns the other sides of all relations that are stored on one side and shown on both. They are computed once for each
 * registry.
 */
export const otherSides = memoize((registry: Registry): OtherSides => {
  const sides = new Map<string, Map<string, AttributeName[]>>();
  const add = (side: AttributeName, other: AttributeName): void => {
    const names = sides.get(side.uid) ?? new Map<string, AttributeName[]>();
    names.set(side.name, [...(names.get(side.name) ?? []), other]);
    sides.set(side.uid, names);
  };
  for (const { uid, attributes } of registry.types.values())
    for (const attribute of attributes.values()) {
      if (attribute.kind !== 'relation') continue;
      const { name, storage, target } = attribute;
      if (storage.kind !== 'inverse' && storage.kind !== 'morph') continue;
      add({ uid, name }, { uid: target, name: storage.field });
      add({ uid: target, name: storage.field }, { uid, name });
    }
  return sides;
});
