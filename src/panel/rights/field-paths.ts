import type { Attribute, ContentType, Registry } from '../../schema/content-type.js';

/** Attributes that the service itself sets, which no permission names. */
const own: ReadonlySet<string> = new Set([
  ...['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations'],
]);

/** Attributes of users that nobody is shown, and that only the service sets. */
const internal: ReadonlySet<string> = new Set(['provider', 'resetPasswordToken', 'confirmationToken', 'registrationToken']);

/** Returns whether only the service reads and sets an attribute. */
export const isInternal = ({ name }: Attribute, { uid }: ContentType): boolean => users.has(uid) && internal.has(name);

const users: ReadonlySet<string> = new Set(['plugin::users-permissions.user', 'admin::user']);

/** Returns the attributes of a type that permissions name. */
export const permittedAttributes = ({ attributes }: ContentType): readonly Attribute[] =>
  [...attributes.values()].filter(({ name }) => !own.has(name));

/**
 * Returns the paths of the attributes of a type as permissions name them: those inside components, such as `seo.metaTitle`, and
 * dynamic zones by their name only. The form of an entry is closed for fields whose path is missing, even for a super admin.
 */
export const fieldPaths = (type: ContentType, registry: Registry, prefix = '', above: readonly string[] = []): string[] =>
  permittedAttributes(type).flatMap((attribute) => {
    const path = `${prefix}${attribute.name}`;
    const inner = attribute.kind === 'component' ? registry.types.get(attribute.component) : undefined;
    if (inner === undefined || above.includes(inner.uid)) return [path];
    return fieldPaths(inner, registry, `${path}.`, [...above, inner.uid]);
  });
