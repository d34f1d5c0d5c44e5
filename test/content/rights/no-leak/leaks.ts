import type { ContentType } from '#model/schema/content-type.js';
import { isShown, maySee, mayUse, type Rights } from './rights.js';
import type { Place } from './world.js';

/** The entries at the root of an answer; the right to a single one is not the right to find it elsewhere. */
export interface Root {
  readonly type: ContentType;
  /** Null: all. */
  readonly id: number | null;
}

/** Returns the values in an answer. They identify their origin, whatever the form of the answer. */
export function valuesIn(answer: unknown, { world: { places } }: Rights): Place[] {
  const texts = JSON.stringify(answer).match(/<<\d+>>|70\d{5}|20\d\d-\d\d-\d\dT[\d:.]+Z/g) ?? [];
  return texts.flatMap((text) => places.get(text) ?? []);
}

/** The values in an answer that the role may not read. */
export const leaks = (answer: unknown, root: Root, rights: Rights): Place[] =>
  valuesIn(answer, rights).filter((place) => !mayRead(place, root, rights));

function mayRead(place: Place, root: Root, rights: Rights): boolean {
  const type = rights.world.registry.types.get(place.type);
  const attribute = type?.attributes.get(place.attribute);
  if (type === undefined || attribute === undefined || !mayUse(rights, type, attribute)) return false;
  const isRoot = place.holder === root.type.uid && (root.id === null || root.id === place.id);
  return (isRoot || maySee(rights, place.holder)) && isShown(rights, place.holder, { _id: place.id });
}
