import type { ContentType } from './content-type.js';

/**
 * Returns the tag of all answers that were made from entries of a type: its singular name, without what a header must not contain. With an
 * id, returns that of all answers that show the entry.
 */
export function cacheTagOf({ singularName }: Pick<ContentType, 'singularName'>, id?: unknown): string {
  const name = encodeURIComponent(singularName);
  return id === undefined ? name : `${name}:${String(id)}`;
}
