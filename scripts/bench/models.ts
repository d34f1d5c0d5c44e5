import type { AttributeDefinition, Model } from '../../src/model/schema/model.js';
import { statuses } from './data-set.js';
import { pageModels } from './page-models.js';

const relation = (kind: string, target: string, side: Partial<AttributeDefinition>): AttributeDefinition => ({
  type: 'relation',
  relation: kind,
  target,
  ...side,
});

const collectionType = (singularName: string, pluralName: string, attributes: Model['attributes']): Model => ({
  uid: `api::${singularName}.${singularName}`,
  kind: 'collectionType',
  collectionName: pluralName,
  info: { singularName, pluralName, displayName: singularName },
  options: { draftAndPublish: singularName === 'article' },
  attributes,
});

/** A localized type, with draft & publish. */
const localized = { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } };

/** The content types of the data set. */
export const models: readonly Model[] = [
  collectionType('article', 'articles', {
    title: { type: 'string', required: true },
    slug: { type: 'uid', targetField: 'title' },
    body: { type: 'richtext' },
    status: { type: 'enumeration', enum: statuses },
    rating: { type: 'decimal' },
    views: { type: 'integer', default: 0, index: true },
    author: relation('manyToOne', 'api::author.author', { inversedBy: 'articles' }),
    categories: relation('manyToMany', 'api::category.category', { inversedBy: 'articles' }),
    tags: relation('manyToMany', 'api::tag.tag', { inversedBy: 'articles' }),
    comments: relation('oneToMany', 'api::comment.comment', { mappedBy: 'article' }),
  }),
  collectionType('author', 'authors', {
    name: { type: 'string', required: true, index: true },
    bio: { type: 'text' },
    articles: relation('oneToMany', 'api::article.article', { mappedBy: 'author' }),
  }),
  collectionType('category', 'categories', {
    name: { type: 'string', required: true },
    slug: { type: 'uid', targetField: 'name' },
    articles: relation('manyToMany', 'api::article.article', { mappedBy: 'categories' }),
  }),
  collectionType('tag', 'tags', {
    name: { type: 'string', required: true },
    articles: relation('manyToMany', 'api::article.article', { mappedBy: 'tags' }),
  }),
  collectionType('comment', 'comments', {
    body: { type: 'text', required: true },
    article: relation('manyToOne', 'api::article.article', { inversedBy: 'comments' }),
  }),
  {
    ...collectionType('note', 'notes', {
      title: { type: 'string', search: 'trigram' },
      subject: { type: 'string' },
      text: { type: 'text' },
    }),
    ...localized,
  },
  collectionType('place', 'places', { name: { type: 'string' }, at: { type: 'point' }, note: { type: 'string' } }),
  ...pageModels,
];

/** Returns the attributes of a collection; none if it is not one of a content type. */
export const attributesOf = (collection: string): Model['attributes'] =>
  models.find(({ collectionName }) => collectionName === collection)?.attributes ?? {};
