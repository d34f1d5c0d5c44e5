import { memoize } from '#base/caches.js';
import type { ContentType } from './content-type.js';

/** Splits a name into words, at case changes, digits and punctuation. Digits are separate words (`i18n` is i, 18, n). */
const words = (name: string): string[] => name.match(/[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g) ?? [];

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** Returns a name in the form of GraphQL type names: `blog-post-item` and `blog_post item` become `BlogPostItem`. */
export const pascalCase = (name: string): string => words(name).map(capitalize).join('');

export const isKebabCase = (name: string): boolean => /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(name);

/** Returns the name of the plugin that a type belongs to, such as `upload`; empty if there is none. */
export const pluginOf = (type: ContentType): string =>
  type.uid.startsWith('plugin::') ? (type.uid.slice(8).split('.')[0] ?? '') : '';

/**
 * Returns the GraphQL name of a type: `BlogPost` for `api::blog-post.blog-post`, `UploadFile` for `plugin::upload.file`,
 * `ComponentSharedSeo` for `shared.seo`.
 */
export const typeName = memoize((type: ContentType): string =>
  type.kind === 'component' ? pascalCase(`component_${type.uid}`) : pascalCase(pluginOf(type)) + pascalCase(type.singularName),
);
