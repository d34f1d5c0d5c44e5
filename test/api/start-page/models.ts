import type { TestModel } from '../../support/serve.js';

/** Returns the model of a content type. */
export const model = (name: string, more: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: `The ${name}` },
  attributes: { title: { type: 'string' } },
  ...more,
});

/** Two types, and a model with an error. */
export const models = [
  model('note'),
  model('home', { kind: 'singleType' }),
  model('draft', { attributes: { title: { type: 'string', requird: true } } }),
];
