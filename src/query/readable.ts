import type { Attribute, ContentType } from '../schema/content-type.js';
import type { Access } from './access.js';

/** The attribute, or null where there is none of that name or the caller may not read it. Own names only: no prototype is asked. */
export function readable(type: ContentType, name: string, access: Access): Attribute | null {
  const attribute = type.attributes.get(name);
  if (attribute === undefined || attribute.private) return null;
  return access.hidden.get(type.uid)?.has(name) === true ? null : attribute;
}
