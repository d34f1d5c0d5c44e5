import { kebabCase } from '#base/values.js';

/** Names that content types may not have. */
export const reservedModels = ['boolean', 'date', 'date-time', 'time', 'upload', 'then', 'rest'] as const;

/** Names that attributes may not have. */
export const reservedAttributes = [
  ...['id', 'created_at', 'updated_at', 'published_at'],
  ...['created_by_id', 'updated_by_id', 'created_by', 'updated_by'],
] as const;

/** Returns a name in lower case with its words joined by underscores: `created_at` for `createdAt`, `content_type` for `__contentType`. */
export const snakeCase = (name: string): string =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).join('_').toLowerCase();

/** Returns a name in the form of uids and paths, without dashes at its ends: `blog-post` for `Blog post!`. */
export const slugOf = (name: string): string => kebabCase(name.normalize('NFKD')).replace(/^-|-$/g, '');

/** Returns a name in the form of collections: `blog_posts` for `blog-posts`. */
export const collectionNameOf = (name: string): string => slugOf(name).replaceAll('-', '_');

/** Returns the plural of an English word, which only names collections of components. */
export function pluralOf(word: string): string {
  if (/(s|x|z|ch|sh)$/i.test(word)) return `${word}es`;
  return /[^aeiou]y$/i.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
