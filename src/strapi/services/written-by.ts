import type { ContentContext } from '#content/content-context.js';
import { validationError } from '#base/errors.js';
import { isStored } from '#store/stored.js';
import { collections } from '#model/schema/collections.js';
import { decodeId } from '#base/values.js';

/** The administrator in whose name code writes, as services of Strapi v4 take one. A user without an id is none. */
export interface ByUser {
  readonly user?: { readonly id?: number | string | null } | null;
}

/**
 * Returns the context in which an administrator is stored as the creator or editor; the same one without an administrator. Throws a
 * ValidationError if there is none of the id.
 */
export async function writtenBy(by: ByUser | null | undefined, context: ContentContext): Promise<ContentContext> {
  const user = by?.user;
  if (user?.id === undefined || user.id === null) return context;
  const id = decodeId(user.id);
  if (!(await isStored(context.store.database, collections.administrators, { _id: id })))
    throw validationError(`user: there is no administrator of the id ${String(user.id)}`);
  return { ...context, author: id };
}
