import { isPassword } from '#accounts/login/passwords.js';
import { sendConfirmation } from '#accounts/login/confirm-email.js';
import { findStoredUser, roleUid, userUid } from '#accounts/user-store.js';
import { permissionTree } from '#accounts/roles/permission-tree.js';
import { createRole, deleteRole, updateRole } from '#accounts/roles/roles.js';
import { notFoundError } from '#base/errors.js';
import type { ClaimsOptions } from '#content/rights/user-tokens.js';
import type { Config } from '#settings/config.js';
import type { ContentContext } from '#content/content-context.js';
import { createLocale, localeWork } from '#content/locales.js';
import type { EntityParameters, EntityService } from '#api/code/entity-service.js';
import { accountsOf, grantableActions, mediaOf, type RunningService } from '#http/running.js';
import { isRecord, type Values } from '#base/values.js';
import { refuseMissing } from '../load/unsupported-code.js';
import { providersRegistry, providersService } from './provider-services.js';
import type { Service } from './core-service.js';
import type { QueryEngine } from './query-engine.js';
import { absentPlugins } from './absent-plugins.js';
import { emailService, template } from './email-service.js';
import { createLocalizationService } from './localization-service.js';
import { createFolderService, createUploadFolderService } from './folder-service.js';
import { createUploadService } from './upload-service.js';

/** The services of plugins, by plugin and name. */
export type PluginServices = Readonly<Record<string, Readonly<Record<string, Service>>>>;

interface PluginParts {
  readonly config: Config;
  /** Throws a 503 until the database has answered. */
  readonly running: () => RunningService;
  readonly entityService: EntityService;
  readonly query: (uid: string) => QueryEngine;
  /** Returns the current context of code. */
  readonly content: () => ContentContext;
}

/** Returns the plugin services of Strapi v4 that Mangrove has. */
export const createPluginServices = (parts: PluginParts): PluginServices => ({
  email: { email: refuseMissingOf('email', 'email', emailService(parts)) },
  'users-permissions': {
    user: userService(parts),
    jwt: tokenService(parts),
    role: roleService(parts),
    providers: providersService(parts),
    permission: permissionService(parts),
    'users-permissions': refuseMissingOf('users-permissions', 'users-permissions', {
      template,
      updateUserRole: ({ id }: { readonly id: number }, role: number) =>
        parts.query(userUid).update({ where: { id }, data: { role } }),
    }),
    'providers-registry': refuseMissingOf('users-permissions', 'providers-registry', providersRegistry(parts)),
  },
  i18n: {
    locales: refuseMissingOf('i18n', 'locales', localeService(parts)),
    'core-api': refuseMissingOf('i18n', 'core-api', createLocalizationService(parts)),
  },
  upload: {
    upload: refuseMissingOf('upload', 'upload', createUploadService(parts)),
    folder: refuseMissingOf('upload', 'folder', createFolderService(parts)),
    'api-upload-folder': createUploadFolderService(parts),
    ...(parts.config.plugins.upload.config.host.provider !== null && { provider: uploadProvider(parts) }),
  },
  ...absentPlugins(() => parts.content().notices),
});

/** Returns a service of a plugin, with errors for the members that it lacks. */
export const refuseMissingOf = <Service extends object>(plugin: string, name: string, service: Service): Service =>
  refuseMissing(service, `strapi.plugin('${plugin}').service('${name}')`);

/** The upload provider of the project. Each function takes a file, which it changes. */
const uploadProvider = ({ running }: PluginParts) => {
  const call = (action: 'upload' | 'uploadStream' | 'delete') => async (file: object, options?: unknown) =>
    mediaOf(running()).host?.call(action, file, options);
  return refuseMissingOf('upload', 'provider', {
    upload: call('upload'),
    uploadStream: call('uploadStream'),
    delete: call('delete'),
  });
};

/** A condition of a user, as the services of Strapi up to v4.1 take it in the place of an id. */
type UserCondition = Readonly<Record<string, unknown>>;

const userService = ({ entityService, query, running, content }: PluginParts) => ({
  /** Creates a user. The password is stored as a hash. */
  add: (values: object) => entityService.create(userUid, { data: values, populate: ['role'] }),
  edit: (user: number | UserCondition, values: object) =>
    isRecord(user)
      ? query(userUid).update({ where: user, data: values, populate: ['role'] })
      : entityService.update(userUid, user, { data: values, populate: ['role'] }),
  /** Returns a user by the id with parameters, or by a condition with a populate. */
  fetch: (user: number | UserCondition, parameters?: EntityParameters) =>
    isRecord(user)
      ? query(userUid).findOne({ where: user, populate: parameters })
      : entityService.findOne(userUid, user, parameters),
  fetchAll: (parameters?: EntityParameters) => entityService.findMany(userUid, parameters),
  fetchAuthenticatedUser: (id: number) => query(userUid).findOne({ where: { id }, populate: ['role'] }),
  count: (where?: object) => query(userUid).count({ where }),
  remove: (where: object) => query(userUid).delete({ where }),
  /** Returns whether a password matches a hash. */
  validatePassword: (password: string, hash: string) => isPassword(password, hash),
  /** Sends an e-mail with a confirmation link to a user. */
  sendConfirmationEmail: async ({ id }: { readonly id: number }) => {
    const user = await findStoredUser(content(), { _id: id });
    if (user !== null) sendConfirmation(accountsOf(running()), user, content());
  },
});

function tokenService({ running }: PluginParts) {
  const verify = async (token: string): Promise<unknown> => {
    await Promise.resolve();
    try {
      return accountsOf(running()).tokens.claimsOf(token);
    } catch (cause) {
      throw new Error('Invalid token.', { cause });
    }
  };
  return {
    /**
     * Returns a token with any claims and the options of the package jsonwebtoken. As that of a user, by `id`, it is valid until
     * the next change of the password.
     */
    issue: (payload: object, options?: ClaimsOptions) => accountsOf(running()).tokens.signClaims(payload, options),
    /** Returns the claims of a token. Rejects if it is invalid or has expired. */
    verify,
    /** Returns the claims of the token of a request; null if there is none. Rejects if it is invalid. */
    getToken: (ctx: { readonly request: { readonly header: { readonly authorization?: string } } }) => {
      const [, token] = /^bearer\s+(\S+)$/i.exec(ctx.request.header.authorization?.trim() ?? '') ?? [];
      return token === undefined ? Promise.resolve(null) : verify(token);
    },
  };
}

function roleService({ running, query, content }: PluginParts) {
  /** Returns the roles with the number of their users. */
  const find = async () => {
    const roles = await query(roleUid).findMany({
      orderBy: 'name',
      populate: { users: { count: true } },
    });
    return roles.map(({ users, ...role }) => ({ ...role, nb_users: Number(Reflect.get(Object(users) as object, 'count')) }));
  };
  /** Returns a role with all actions by type and controller, and whether it has them. Throws a NotFoundError if there is none. */
  const findOne = async (id: number) => {
    const role = await query(roleUid).findOne({ where: { id }, populate: ['permissions'] });
    if (role === null) throw notFoundError('Role not found');
    const granted = new Set((role['permissions'] as readonly { readonly action: string }[]).map(({ action }) => action));
    return { ...role, permissions: permissionTree(grantableActions(running(), content().bind.registry), granted) };
  };
  return {
    find,
    findOne,
    /** Their names in Strapi up to v4.1. */
    getRoles: find,
    getRole: findOne,
    /** Takes the body of POST /users-permissions/roles: name, description, and permissions by type, controller and action. */
    createRole: async (values: Values) => void (await createRole(values, content())),
    updateRole: (id: number, values: Values) => updateRole(Number(id), values, content()),
    deleteRole: (id: number) => deleteRole(Number(id), content()),
  };
}

/** Reads what roles may do. */
const permissionService = ({ query }: PluginParts) => ({
  findRolePermissions: (role: number) => query(permissionUid).findMany({ where: { role } }),
  findPublicPermissions: () => query(permissionUid).findMany({ where: { role: { type: 'public' } } }),
  toContentAPIPermission: ({ action }: { readonly action: string }) => ({ action }),
});

const permissionUid = 'plugin::users-permissions.permission';

const localeService = ({ running, query, content }: PluginParts) => ({
  /** Adds a locale: `{ code, name, isDefault }`. */
  create: async ({ code, ...values }: Values) => {
    await createLocale(code, values, localeWork({ content: content() }));
    return query('plugin::i18n.locale').findOne({ where: { code } });
  },
  find: (where: object = {}) => query('plugin::i18n.locale').findMany({ where }),
  findByCode: (code: string) => query('plugin::i18n.locale').findOne({ where: { code } }),
  findById: (id: number) => query('plugin::i18n.locale').findOne({ where: { id } }),
  count: (where: object = {}) => query('plugin::i18n.locale').count({ where }),
  getDefaultLocale: () => Promise.resolve(running().backend.models.snapshot.locales.default),
});
