import type { TestModel } from '../../support/serve.js';

const type = (singularName: string, attributes: object, more: object = {}): TestModel => ({
  uid: `api::${singularName}.${singularName}`,
  kind: 'collectionType',
  collectionName: `${singularName}s`,
  info: { singularName, pluralName: `${singularName}s`, displayName: singularName },
  attributes,
  ...more,
});

const relation = (kind: string, target: string, sides: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...sides,
});

/** Types that are synced, with relations from both sides, locales, drafts, components, zones and files; and one that is not synced. */
export const syncModels: readonly TestModel[] = [
  type(
    'post',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      rating: { type: 'integer' },
      owner: { type: 'integer' },
      secret: { type: 'string' },
      author: relation('manyToOne', 'author', { inversedBy: 'posts' }),
      tags: relation('manyToMany', 'tag', { inversedBy: 'posts' }),
      notes: relation('oneToMany', 'note', { mappedBy: 'post' }),
      cover: { type: 'media', multiple: false },
      seo: { type: 'component', component: 'shared.seo' },
      body: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'] },
    },
    {
      options: { draftAndPublish: true },
      pluginOptions: { sync: { enabled: true }, i18n: { localized: true } },
    },
  ),
  type(
    'author',
    { name: { type: 'string' }, active: { type: 'boolean' }, posts: relation('oneToMany', 'post', { mappedBy: 'author' }) },
    { options: { draftAndPublish: true }, pluginOptions: { sync: { enabled: true } } },
  ),
  type('tag', { name: { type: 'string' }, posts: relation('manyToMany', 'post', { mappedBy: 'tags' }) }),
  type('note', {
    text: { type: 'string' },
    approved: { type: 'boolean' },
    post: relation('manyToOne', 'post', { inversedBy: 'notes' }),
  }),
  type('plain', { name: { type: 'string' } }),
  {
    uid: 'shared.seo',
    collectionName: 'components_shared_seos',
    info: { displayName: 'Seo' },
    attributes: { title: { type: 'string' }, author: relation('oneToOne', 'author') },
  },
  {
    uid: 'shared.quote',
    collectionName: 'components_shared_quotes',
    info: { displayName: 'Quote' },
    attributes: { text: { type: 'text' }, file: { type: 'media', multiple: true } },
  },
];
