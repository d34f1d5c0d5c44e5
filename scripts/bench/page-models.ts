import type { AttributeDefinition, Model } from '../../src/model/schema/model.js';

const component = (uid: string, attributes: Model['attributes']): Model => ({
  uid,
  collectionName: `components_${uid.replace('.', '_')}`,
  info: { displayName: uid },
  options: {},
  attributes,
});

const linkTo = (relation: string, target: string): AttributeDefinition => ({ type: 'relation', relation, target });

/** A content type of components in components and of a dynamic zone, with relations and media inside. */
export const pageModels: readonly Model[] = [
  component('page.link', {
    label: { type: 'string' },
    url: { type: 'string' },
    category: linkTo('oneToOne', 'api::category.category'),
  }),
  component('page.section', {
    heading: { type: 'string', required: true },
    text: { type: 'richtext' },
    author: linkTo('oneToOne', 'api::author.author'),
    cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
    link: { type: 'component', component: 'page.link' },
  }),
  component('page.quote', { text: { type: 'text' }, author: linkTo('oneToOne', 'api::author.author') }),
  component('page.gallery', { title: { type: 'string' }, images: { type: 'media', multiple: true, allowedTypes: ['images'] } }),
  component('page.teaser', { title: { type: 'string' }, tags: linkTo('oneToMany', 'api::tag.tag') }),
  {
    uid: 'api::page.page',
    kind: 'collectionType',
    collectionName: 'pages',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
    options: { draftAndPublish: true },
    attributes: {
      title: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'title' },
      sections: { type: 'component', repeatable: true, component: 'page.section' },
      blocks: { type: 'dynamiczone', components: ['page.quote', 'page.gallery', 'page.teaser'] },
    },
  },
];
