import type { Attribute, ContentType, MorphAttribute, Registry } from '../schema/content-type.js';
import { otherSides } from '../schema/other-sides.js';
import type { Access } from './access.js';

/** The attribute, or null where there is none of that name or the caller may not read it. Own names only: no prototype is asked. */
export function readable(type: ContentType, name: string, access: Access): Attribute | null {
  const attribute = type.attributes.get(name);
  if (attribute === undefined || attribute.private) return null;
  return access.hidden.get(type.uid)?.has(name) === true ? null : attribute;
}

/** A polymorphic attribute of a type, and the type of entries that it leads to. */
export interface MorphLink {
  readonly owner: ContentType;
  readonly attribute: MorphAttribute;
  /** uid */
  readonly target: string;
}

/** Whether the links are hidden because the attribute of the target that shows them is. */
export function isHiddenLink(
  { owner, attribute, target }: MorphLink,
  { access, registry }: { readonly access: Access; readonly registry: Registry },
): boolean {
  const hidden = access.hidden.get(target);
  if (hidden === undefined) return false;
  const sides = otherSides(registry).get(owner.uid)?.get(attribute.name) ?? [];
  return sides.some(({ uid, name }) => uid === target && hidden.has(name));
}
