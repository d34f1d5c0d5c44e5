import type { ContentType } from './content-type.js';

/** Words of a name: at case changes, digits and punctuation, digits being words of their own (`i18n` is i, 18, n). */
const words = (name: string): string[] => name.match(/[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g) ?? [];

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** `blog-post-item` and `blog_post item` become `BlogPostItem`; the form of GraphQL type names. */
export const pascalCase = (name: string): string => words(name).map(capitalize).join('');

export const isKebabCase = (name: string): boolean => /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(name);

/** `upload` for the types of that plugin; empty for others. */
export const pluginOf = (type: ContentType): string =>
  type.uid.startsWith('plugin::') ? (type.uid.slice(8).split('.')[0] ?? '') : '';

const typeNames = new WeakMap<ContentType, string>();

/** `api::blog-post.blog-post` is `BlogPost`, `plugin::upload.file` is `UploadFile`, `shared.seo` is `ComponentSharedSeo`. */
export function typeName(type: ContentType): string {
  const known = typeNames.get(type);
  if (known !== undefined) return known;
  const component = type.kind === 'component';
  const name = component ? pascalCase(`component_${type.uid}`) : pascalCase(pluginOf(type)) + pascalCase(type.singularName);
  typeNames.set(type, name);
  return name;
}
