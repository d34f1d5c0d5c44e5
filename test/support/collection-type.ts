import type { TestModel } from './serve.js';

/** Returns the model of a collection type. `rest` has further parts of the model, such as options. */
export const collectionType = (name: string, attributes: object, rest: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
  ...rest,
});
