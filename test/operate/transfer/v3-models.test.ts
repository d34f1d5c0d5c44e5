import { expect } from 'chai';
import { readV3Model, takenAttributes, toSchema } from '#operate/transfer/strapi-v3/v3-models.js';
import type { Values } from '#base/values.js';

const schemaOf = (definition: object): Values => {
  const model = readV3Model({ attributes: {}, info: {}, ...definition });
  if (model === null) throw new Error('it is a model');
  return toSchema(model, [model]);
};

/** The name of a type and its collection, with the names in Strapi v4. */
const names = [
  ['article', 'articles', 'article', 'articles'],
  ['statistics', 'statistics', 'statistic', 'statistics'],
  ['ci-templates', 'ci_templates', 'ci-template', 'ci-templates'],
  ['categories', 'categories', 'category', 'categories'],
  ['news', 'all_news', 'news', 'all-news'],
  ['press', 'press', 'press', 'presss'],
  ['front', 'front', 'front', 'fronts'],
] as const;

const own = ['published_at', 'locale', 'localizations', 'created_by', 'createdAt'];
const attributes = Object.fromEntries(['title', ...own].map((name) => [name, { type: 'string' }]));

/** A model with all these attributes, and those that belong to the project. */
const kept: readonly (readonly [title: string, uid: string, more: object, names: readonly string[]])[] = [
  ['a component', 'base.part', {}, ['title', ...own]],
  ['a type', 'application::a.a', {}, ['title', 'published_at', 'locale', 'localizations']],
  ['a type with drafts', 'application::a.a', { options: { draftAndPublish: true } }, ['title', 'locale', 'localizations']],
  ['a localized type', 'application::a.a', { pluginOptions: { i18n: { localized: true } } }, ['title', 'published_at']],
];

describe('models of Strapi v3', () => {
  for (const [name, collectionName, singularName, pluralName] of names)
    it(`${name} in ${collectionName} are ${pluralName}`, () => {
      expect(schemaOf({ uid: `application::${name}.${name}`, collectionName })['info']).to.include({ singularName, pluralName });
    });

  for (const [title, uid, more, expected] of kept)
    it(`keep the attributes of the project in ${title}`, () => {
      expect(Object.keys(schemaOf({ uid, collectionName: 'a', attributes, ...more })['attributes'] as object)).to.deep.equal(
        expected,
      );
    });

  it('name the attributes whose names the service takes', () => {
    const options = { timestamps: ['made_at', 'changed_at'] };
    const model = readV3Model({ uid: 'application::a.a', collectionName: 'a', attributes, options });
    expect(model === null ? null : takenAttributes(model).map(([name]) => name)).to.deep.equal(['createdAt']);
  });
});
