import type { TestModel } from '../support/serve.js';

const component = (uid: string, displayName: string, attributes: object): TestModel => ({
  uid,
  info: { displayName },
  attributes,
});

const type = (name: string, plural: string, displayName: string, rest: object): TestModel => ({
  uid: `api::${name}.${name}`,
  collectionName: plural,
  kind: 'collectionType',
  info: { singularName: name, pluralName: plural, displayName },
  ...rest,
});

const localized = { i18n: { localized: true } };

/** Stories with nested components, a dynamic zone, media, drafts and locales, and their authors. */
export const dayModels: readonly TestModel[] = [
  component('shared.link', 'Link', {
    label: { type: 'string', required: true, maxLength: 12 },
    url: { type: 'string' },
  }),
  component('shared.section', 'Section', {
    heading: { type: 'string', required: true },
    links: { type: 'component', component: 'shared.link', repeatable: true },
  }),
  component('blocks.quote', 'Quote', { text: { type: 'string' } }),
  component('blocks.note', 'Note', { note: { type: 'string' } }),
  type('author', 'authors', 'Author', { attributes: { name: { type: 'string', required: true } } }),
  type('story', 'stories', 'Story', {
    options: { draftAndPublish: true },
    pluginOptions: localized,
    attributes: {
      title: { type: 'string', required: true, pluginOptions: localized },
      code: { type: 'string', unique: true, maxLength: 8 },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
      sections: { type: 'component', component: 'shared.section', repeatable: true, pluginOptions: localized },
      blocks: { type: 'dynamiczone', components: ['blocks.quote', 'blocks.note'], pluginOptions: localized },
    },
  }),
];
