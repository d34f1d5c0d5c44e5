import type { TestModel } from '../support/serve.js';

export const userUid = 'plugin::users-permissions.user';

/** The model of users with further attributes. */
export const withUserAttributes = (attributes: TestModel['attributes']): TestModel => ({
  uid: userUid,
  kind: 'collectionType',
  collectionName: 'up_users',
  info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
  attributes,
});
