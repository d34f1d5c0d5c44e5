import { collections } from './collections.js';
import type { AttributeDefinition, Model } from './model.js';

const relation = (kind: string, target: string, sides: Partial<AttributeDefinition> = {}): AttributeDefinition => ({
  type: 'relation',
  relation: kind,
  target,
  ...sides,
});

const text = (rules: Partial<AttributeDefinition> = {}): AttributeDefinition => ({ type: 'string', ...rules });
const hidden = { private: true } as const;

const user: Model = {
  uid: 'plugin::users-permissions.user',
  kind: 'collectionType',
  collectionName: collections.users,
  info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
  options: { draftAndPublish: false, timestamps: true },
  attributes: {
    username: text({ required: true, unique: true, minLength: 3 }),
    email: { type: 'email', required: true, minLength: 6 },
    provider: text(),
    password: { type: 'password', minLength: 6, searchable: false, ...hidden },
    resetPasswordToken: text({ searchable: false, ...hidden }),
    confirmationToken: text({ searchable: false, ...hidden }),
    confirmed: { type: 'boolean', default: false },
    blocked: { type: 'boolean', default: false },
    role: relation('manyToOne', 'plugin::users-permissions.role', { inversedBy: 'users' }),
  },
};

const role: Model = {
  uid: 'plugin::users-permissions.role',
  kind: 'collectionType',
  collectionName: collections.roles,
  info: { singularName: 'role', pluralName: 'roles', displayName: 'Role' },
  options: { draftAndPublish: false },
  attributes: {
    name: text({ required: true, minLength: 3 }),
    description: text(),
    type: text({ unique: true }),
    permissions: relation('oneToMany', 'plugin::users-permissions.permission', { mappedBy: 'role' }),
    users: relation('oneToMany', 'plugin::users-permissions.user', { mappedBy: 'role' }),
  },
};

const permission: Model = {
  uid: 'plugin::users-permissions.permission',
  kind: 'collectionType',
  collectionName: collections.permissions,
  info: { singularName: 'permission', pluralName: 'permissions', displayName: 'Permission' },
  options: { draftAndPublish: false },
  attributes: {
    action: text({ required: true }),
    role: relation('manyToOne', 'plugin::users-permissions.role', { inversedBy: 'permissions' }),
  },
};

const file: Model = {
  uid: 'plugin::upload.file',
  kind: 'collectionType',
  collectionName: collections.files,
  info: { singularName: 'file', pluralName: 'files', displayName: 'File' },
  options: { draftAndPublish: false },
  attributes: {
    name: text({ required: true }),
    alternativeText: text(),
    caption: text(),
    width: { type: 'integer' },
    height: { type: 'integer' },
    formats: { type: 'json' },
    hash: text({ required: true }),
    ext: text(),
    mime: text({ required: true }),
    size: { type: 'decimal', required: true },
    url: text({ required: true }),
    previewUrl: text(),
    provider: text({ required: true }),
    provider_metadata: { type: 'json' },
    related: { type: 'relation', relation: 'morphToMany', writable: false },
    folder: relation('manyToOne', 'plugin::upload.folder', { inversedBy: 'files', ...hidden }),
    folderPath: text({ required: true, searchable: false, ...hidden }),
  },
};

const folder: Model = {
  uid: 'plugin::upload.folder',
  kind: 'collectionType',
  collectionName: collections.folders,
  info: { singularName: 'folder', pluralName: 'folders', displayName: 'Folder' },
  options: { draftAndPublish: false },
  attributes: {
    name: text({ required: true }),
    pathId: { type: 'integer', required: true, unique: true },
    parent: relation('manyToOne', 'plugin::upload.folder', { inversedBy: 'children' }),
    children: relation('oneToMany', 'plugin::upload.folder', { mappedBy: 'parent' }),
    files: relation('oneToMany', 'plugin::upload.file', { mappedBy: 'folder' }),
    path: text({ required: true }),
  },
};

const locale: Model = {
  uid: 'plugin::i18n.locale',
  kind: 'collectionType',
  collectionName: collections.locales,
  info: { singularName: 'locale', pluralName: 'locales', displayName: 'Locale' },
  options: { draftAndPublish: false },
  attributes: { name: text(), code: text({ unique: true }) },
};

/** An administrator: a user of the admin panel. Entries name the administrators who created and last changed them. */
const administrator: Model = {
  uid: 'admin::user',
  kind: 'collectionType',
  collectionName: collections.administrators,
  info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
  options: { draftAndPublish: false },
  attributes: {
    firstname: text({ unique: false, minLength: 1, required: false }),
    lastname: text({ unique: false, minLength: 1, required: false }),
    username: text({ unique: false, required: false }),
    email: { type: 'email', minLength: 6, required: true, unique: true, ...hidden },
    password: { type: 'password', minLength: 6, required: false, searchable: false, ...hidden },
    resetPasswordToken: text({ searchable: false, ...hidden }),
    registrationToken: text({ searchable: false, ...hidden }),
    isActive: { type: 'boolean', default: false, ...hidden },
    roles: relation('manyToMany', 'admin::role', { inversedBy: 'users', ...hidden }),
    blocked: { type: 'boolean', default: false, ...hidden },
    preferedLanguage: text({ required: false, searchable: false }),
  },
};

/** A role of administrators. */
const adminRole: Model = {
  uid: 'admin::role',
  kind: 'collectionType',
  collectionName: collections.adminRoles,
  info: { singularName: 'role', pluralName: 'roles', displayName: 'Role' },
  options: { draftAndPublish: false },
  attributes: {
    name: text({ required: true, unique: true, minLength: 1 }),
    code: text({ required: true, unique: true, minLength: 1 }),
    description: text(),
    users: relation('manyToMany', 'admin::user', { mappedBy: 'roles' }),
    permissions: relation('oneToMany', 'admin::permission', { mappedBy: 'role' }),
  },
};

/** What a role of administrators may do: an action, on a subject if the action has one, within properties and conditions. */
const adminPermission: Model = {
  uid: 'admin::permission',
  kind: 'collectionType',
  collectionName: collections.adminPermissions,
  info: { singularName: 'permission', pluralName: 'permissions', displayName: 'Permission' },
  options: { draftAndPublish: false },
  attributes: {
    action: text({ required: true, minLength: 1 }),
    actionParameters: { type: 'json' },
    subject: text(),
    properties: { type: 'json' },
    conditions: { type: 'json' },
    role: relation('manyToOne', 'admin::role', { inversedBy: 'permissions' }),
  },
};

export const accountModels: readonly Model[] = [user, role, permission];
export const fileModels: readonly Model[] = [file, folder];
export const localeModels: readonly Model[] = [locale];
export const adminModels: readonly Model[] = [administrator, adminRole, adminPermission];

/** The content types that code below the features knows. A `_models` document with the same uid adds attributes to them. */
export const builtinModels: readonly Model[] = [...accountModels, ...fileModels, ...localeModels, ...adminModels];
