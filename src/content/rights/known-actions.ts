import { validationError } from '#base/errors.js';
import { suggest } from '#base/nearest-name.js';
import { type ActionName, actionOf } from '#model/query/access.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';

/** The actions on users, roles and sessions. */
export const accountActions = [
  ...['callback', 'changePassword', 'resetPassword', 'connect', 'forgotPassword', 'register'].map((name) => `auth.${name}`),
  ...['emailConfirmation', 'sendEmailConfirmation'].map((name) => `auth.${name}`),
  ...['create', 'update', 'find', 'findOne', 'count', 'destroy', 'me', 'deleteMe'].map((name) => `user.${name}`),
  ...['createRole', 'findOne', 'find', 'updateRole', 'deleteRole'].map((name) => `role.${name}`),
  'permissions.getPermissions',
].map((action): ActionName => `plugin::users-permissions.${action}`);

/** The actions on files. */
export const fileActions = ['find', 'findOne', 'destroy', 'upload', 'replace'].map(
  (name): ActionName => `plugin::upload.content-api.${name}`,
);

/** The actions on users and on files, by the uid of the type. */
export const pluginActions: Readonly<Record<string, readonly string[]>> = {
  'plugin::users-permissions.user': accountActions,
  'plugin::upload.file': fileActions,
};

/** The action to upload files. */
export const uploadAction = 'plugin::upload.content-api.upload';
/** The action to change a file: its content, its name and its texts. */
export const replaceAction = 'plugin::upload.content-api.replace';

/** The actions that Strapi v4 does not have. Its panel does not list them. */
export const ownActions: readonly string[] = [replaceAction, 'plugin::users-permissions.user.deleteMe'];

/** Version of the list of actions, stored with each role and token. Version 1 added a separate action to replace files. */
export const grantsVersion = 1;

/** Returns all actions that can be granted to a role or token: those on content types, then those of features. */
export function knownActions(registry: Registry, ofFeatures: readonly string[]): string[] {
  const types = [...registry.types.values()].filter(({ uid }) => uid.startsWith('api::'));
  return [...types.flatMap((type) => actionsOn(type).map((action) => actionOf(type, action))), ...ofFeatures];
}

/** Throws a ValidationError with the nearest known name for the first action that is not known. */
export function checkActions(named: readonly string[], validActions: readonly string[]): void {
  const unknown = named.find((action) => !validActions.includes(action));
  if (unknown !== undefined) throw validationError(`there is no action ${unknown}${suggest(unknown, validActions)}`);
}

/** All actions that a content type can have. */
export const coreActions = ['find', 'findOne', 'create', 'update', 'delete', 'createLocalization'] as const;

const ofSingleTypes: ReadonlySet<string> = new Set(['find', 'update', 'delete', 'createLocalization']);

/** Returns the actions on the entries of a type. */
export const actionsOn = ({ kind, localized }: ContentType): (typeof coreActions)[number][] =>
  coreActions.filter(
    (action) => (kind !== 'singleType' || ofSingleTypes.has(action)) && (localized || action !== 'createLocalization'),
  );
