import type { AttributeDefinition, Model } from '../../src/model/schema/model.js';

/** Types in a group. Each but the first one refers to the first and to the one before it. */
const groupSize = 10;

/** Returns the `n`th content type: the attributes of an article, with links to files and to two types of its group. */
export function hotType(n: number): Model {
  const first = n - (n % groupSize);
  const links = n === first ? {} : { parent: linkTo(first), siblings: linksTo(n - 1) };
  return {
    uid: uidOf(n),
    kind: 'collectionType',
    collectionName: `hot_${String(n)}`,
    info: { singularName: `hot-${String(n)}`, pluralName: pluralName(n), displayName: `Hot ${String(n)}` },
    options: { draftAndPublish: n % 2 === 0 },
    pluginOptions: { i18n: { localized: n % 3 === 0 } },
    attributes: { ...attributes, ...links },
  };
}

export const uidOf = (n: number): string => `api::hot-${String(n)}.hot-${String(n)}`;

export const pluralName = (n: number): string => `hot-${String(n)}-list`;

/** The list of a type in GraphQL. */
export const listField = (n: number): string => `hot${String(n)}List`;

const linkTo = (n: number): AttributeDefinition => ({ type: 'relation', relation: 'manyToOne', target: uidOf(n) });
const linksTo = (n: number): AttributeDefinition => ({ type: 'relation', relation: 'manyToMany', target: uidOf(n) });

const attributes: Model['attributes'] = {
  title: { type: 'string', required: true },
  slug: { type: 'uid', targetField: 'title' },
  body: { type: 'richtext' },
  views: { type: 'integer', index: true },
  rating: { type: 'decimal' },
  featured: { type: 'boolean' },
  day: { type: 'date' },
  extra: { type: 'json' },
  status: { type: 'enumeration', enum: ['open', 'done'] },
  cover: { type: 'media', multiple: false },
};
