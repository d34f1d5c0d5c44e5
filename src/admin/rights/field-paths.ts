import { memoizePair } from '#base/caches.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';

/** Attributes of users that nobody is shown, and that only the service sets. */
export const internal: ReadonlySet<string> = new Set([
  'provider',
  'resetPasswordToken',
  'confirmationToken',
  'registrationToken',
]);

/** Returns whether only the service reads and sets an attribute. */
export const isInternal = ({ name }: Attribute, { uid }: ContentType): boolean => users.has(uid) && internal.has(name);

const users: ReadonlySet<string> = new Set(['plugin::users-permissions.user', 'admin::user']);

/** Returns the attributes of a type that permissions name: not those that the service has added. */
export const permittedAttributes = ({ attributes }: ContentType): readonly Attribute[] =>
  [...attributes.values()].filter(({ added }) => added === null);

/** Most paths inside a component. One with more is named as a whole: its path stands for all that is below it. */
const mostInside = 2_000;

/** Returns a component whose fields are named one by one; null if there is none of that uid, or it has too many. */
export function listedComponent(uid: string, registry: Registry): ContentType | null {
  const part = registry.types.get(uid);
  return part === undefined || pathsInside(part, registry) > mostInside ? null : part;
}

/** Returns the component of an attribute whose fields permissions name; null if they name the attribute as a whole. */
export const componentIn = (attribute: Attribute, registry: Registry): ContentType | null =>
  attribute.kind === 'component' ? listedComponent(attribute.component, registry) : null;

/** Returns the number of paths inside a component. */
const pathsInside: (type: ContentType, registry: Registry) => number = memoizePair((type, registry) => {
  const counts = permittedAttributes(type).map((attribute) => {
    const inner = componentIn(attribute, registry);
    return inner === null ? 1 : pathsInside(inner, registry);
  });
  return counts.reduce((sum, count) => sum + count, 0);
});

/**
 * Returns the paths of the attributes of a type as permissions name them: those inside components, such as `seo.metaTitle`, and
 * dynamic zones by their name only. The form of an entry is closed for fields whose path is missing, even for a super admin.
 */
export const fieldPaths = (type: ContentType, registry: Registry, prefix = ''): string[] =>
  permittedAttributes(type).flatMap((attribute) => {
    const path = `${prefix}${attribute.name}`;
    const inner = componentIn(attribute, registry);
    return inner === null ? [path] : fieldPaths(inner, registry, `${path}.`);
  });
