import type { TestModel } from './serve.js';

/** Values of the attributes of `ownModels`, whose names the service gives to its own attributes elsewhere. */
export const ownValues = {
  name: 'Lyon',
  locale: 'fr_FR',
  localizations: ['home', 'abroad'],
  publishedAt: '2020-02-03T04:05:06.000Z',
  part: {
    ...{ createdAt: '2001-02-03', updatedAt: '12:30:00.000', createdBy: 'Ada', updatedBy: 7 },
    ...{ publishedAt: true, locale: 'en', localizations: { de: 'x' } },
  },
} as const;

const link = (target: string) => ({ type: 'relation', relation: 'manyToMany', target });

/** A type without drafts and without locales, and components, that use the names of attributes that the service adds elsewhere. */
export const ownModels: readonly TestModel[] = [
  {
    uid: 'shared.part',
    collectionName: 'components_shared_parts',
    info: { displayName: 'part' },
    attributes: {
      createdAt: { type: 'date', required: true },
      updatedAt: { type: 'time' },
      createdBy: { type: 'string' },
      updatedBy: { type: 'integer' },
      publishedAt: { type: 'boolean' },
      locale: { type: 'string' },
      localizations: { type: 'json' },
    },
  },
  {
    uid: 'shared.links',
    collectionName: 'components_shared_links',
    info: { displayName: 'links' },
    attributes: { createdBy: link('api::place.place'), localizations: link('api::place.place') },
  },
  {
    uid: 'api::place.place',
    kind: 'collectionType',
    collectionName: 'places',
    info: { singularName: 'place', pluralName: 'places', displayName: 'place' },
    options: { draftAndPublish: false, history: { versions: 5 } },
    attributes: {
      name: { type: 'string' },
      locale: { type: 'string', required: true },
      localizations: { type: 'json' },
      publishedAt: { type: 'datetime' },
      part: { type: 'component', component: 'shared.part', repeatable: false },
      links: { type: 'component', component: 'shared.links', repeatable: true },
    },
  },
];
