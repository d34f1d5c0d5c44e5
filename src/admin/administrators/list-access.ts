import { type Access, fullAccess } from '#model/query/access.js';
import type { Registry } from '#model/schema/content-type.js';

/** The attributes of administrators and of their roles that lists show. */
const shown = {
  'admin::user': [
    ...['id', 'firstname', 'lastname', 'username', 'email', 'isActive', 'blocked', 'preferedLanguage'],
    ...['roles', 'createdAt', 'updatedAt'],
  ],
  'admin::role': ['id', 'name', 'code', 'description', 'createdAt', 'updatedAt'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Returns the access of lists of administrators and roles: filters, sorts and searches reach what these show, and nothing else. */
export const listAccess = ({ types }: Registry): Access => ({
  ...fullAccess,
  seesPrivate: true,
  hidden: new Map(
    Object.entries<readonly string[]>(shown).map(([uid, names]) => {
      const attributes = [...(types.get(uid)?.attributes.keys() ?? [])];
      return [uid, new Set(attributes.filter((name) => !names.includes(name)))];
    }),
  ),
});
