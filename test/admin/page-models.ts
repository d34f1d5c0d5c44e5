import { collectionType } from '../support/collection-type.js';
import type { TestModel } from '../support/serve.js';
import { dayModels } from './day-models.js';

const relations = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const;

/** A type with attributes of each type, a single type, and the types of a day of editors. */
export const pageModels: readonly TestModel[] = [
  ...dayModels,
  collectionType(
    'sample',
    {
      ...Object.fromEntries(
        ['string', 'text', 'richtext', 'email', 'password', 'integer', 'biginteger', 'float', 'decimal', 'boolean', 'json'].map(
          (type) => [type, { type }],
        ),
      ),
      ...Object.fromEntries(['date', 'time', 'datetime', 'timestamp', 'blocks'].map((type) => [type, { type }])),
      slug: { type: 'uid', targetField: 'string', required: true },
      choice: { type: 'enumeration', enum: ['one', 'two'] },
      files: { type: 'media', multiple: true },
      link: { type: 'component', component: 'shared.link' },
      ...Object.fromEntries(
        relations.map((relation) => [relation, { type: 'relation', relation, target: 'api::author.author' }]),
      ),
    },
    { info: { singularName: 'sample', pluralName: 'samples', displayName: 'Sample' } },
  ),
  {
    uid: 'api::home.home',
    kind: 'singleType',
    collectionName: 'homes',
    info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' },
    attributes: { headline: { type: 'string' } },
  },
];
