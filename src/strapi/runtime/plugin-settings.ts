import { readAccountSettings } from '../../auth/account-settings.js';
import type { Body } from '../../accounts/accounts.js';
import { fieldProblems, refuseProblems } from '../../accounts/check-fields.js';
import { advancedIn, formOfTemplates, templateNames, templatesIn } from '../../accounts/mail/settings-form.js';
import { changeSettings, type SettingsChange } from '../../accounts/mail/write-settings.js';
import { changedUserProblems, newUserProblems } from '../../accounts/users/user-input.js';
import { type FieldError, validationError } from '../../errors.js';
import { mediaOf } from '../../http/running.js';
import { imageChoicesKey, readLibrarySettings } from '../../media/image-choices.js';
import { libraryViewKey, openCodeStore } from '../../mongo/stores/code-store.js';
import type { ProjectRegisters } from './project-registers.js';
import type { Service } from '../services/core-service.js';
import { collections } from '../../schema/collections.js';
import { mapValues, type Values } from '../../values.js';
import type { StoreSetting } from './strapi-store.js';

type Sources = Pick<ProjectRegisters, 'content' | 'running'>;

const readAccounts = ({ content }: Sources) => readAccountSettings(content().store.database);

const changeAccounts = (change: SettingsChange, { content, running }: Sources): Promise<void> =>
  changeSettings(change, running().config, content().store);

/** Returns a function that tells that a value has no effect. */
const ignored =
  (what: string, instead: string, { content }: Sources): StoreSetting['write'] =>
  async () => {
    content().notices.tell(`strapi.store does not set ${what}: ${instead}`);
    return Promise.resolve();
  };

/** Returns settings of the media library. */
const library = (key: string, { content, running }: Sources): StoreSetting => ({
  read: async () => readLibrarySettings(key, { database: content().store.database, settings: mediaOf(running()).settings }),
  write: async (value) => {
    const { database, changes } = content().store;
    await openCodeStore(database).set(key, value);
    changes.changed(collections.codeStore);
  },
});

/**
 * Returns the settings of the service in the store of a project, by their keys: log-in providers, the advanced settings and e-mails of
 * users, the default locale, the media library.
 */
export const settingsInStore = (sources: Sources): ReadonlyMap<string, StoreSetting> =>
  new Map(
    Object.entries({
      'plugin_users-permissions_grant': {
        read: async () => {
          const { providers } = sources.running().config.plugins['users-permissions'].config;
          const enabled = Object.entries(providers).map(([name, { clientId }]) => [name, { enabled: true, key: clientId }]);
          return Promise.resolve({ email: { enabled: true }, ...(Object.fromEntries(enabled) as object) });
        },
        write: ignored('log-in providers', 'they are in plugins.users-permissions.config.providers of config/plugins', sources),
      },
      'plugin_users-permissions_advanced': {
        read: async () => (await readAccounts(sources)).advanced,
        write: (value) => changeAccounts({ advanced: advancedIn(Object(value) as Values) }, sources),
      },
      'plugin_users-permissions_email': {
        read: async () => formOfTemplates((await readAccounts(sources)).templates),
        write: async (value) => {
          const form = Object(value) as Values;
          const templates = templatesIn(form);
          const partial = templateNames.find((name) => form[name] !== undefined && templates[name] === undefined);
          if (partial !== undefined)
            throw validationError(`${partial} needs options with from, response_email, object and message`);
          await changeAccounts({ templates }, sources);
        },
      },
      plugin_i18n_default_locale: {
        read: async () => Promise.resolve(sources.running().backend.models.snapshot.locales.default),
        write: ignored('the default locale', 'the admin API (/admin/api/locales) changes locales', sources),
      },
      [imageChoicesKey]: library(imageChoicesKey, sources),
      [libraryViewKey]: library(libraryViewKey, sources),
    } satisfies Readonly<Record<string, StoreSetting>>),
  );

/** Required fields of the bodies of login routes. */
const bodies = {
  validateCallbackBody: ['identifier', 'password'],
  validateRegisterBody: ['email', 'password'],
  validateSendEmailConfirmationBody: ['email'],
  validateEmailConfirmationBody: ['confirmation'],
  validateForgotPasswordBody: ['email'],
  validateResetPasswordBody: ['password', 'passwordConfirmation', 'code'],
  validateChangePasswordBody: ['currentPassword', 'password', 'passwordConfirmation'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Validator = (body: unknown) => Promise<void>;

/** Returns a function that rejects with a ValidationError if a body has problems. */
const validator =
  (problemsOf: (body: Body) => readonly FieldError[]): Validator =>
  async (body) => {
    await Promise.resolve();
    refuseProblems(problemsOf(Object(body) as Body));
  };

const loginValidators = mapValues<readonly string[], Validator>(bodies, (fields) => {
  const rules = Object.fromEntries(fields.map((field) => [field, ['required'] as const]));
  return validator((body) => fieldProblems(body, rules));
});

const userValidators: Readonly<Record<string, Validator>> = {
  validateCreateUserBody: validator(newUserProblems),
  validateUpdateUserBody: validator(changedUserProblems),
};

/** Returns the modules of the plugin users-permissions that overriding controllers import. */
export const pluginFiles = (service: (name: string) => Service): Readonly<Record<string, object>> => ({
  '@strapi/plugin-users-permissions/server/utils': { getService: service },
  '@strapi/plugin-users-permissions/server/controllers/validation/auth': loginValidators,
  '@strapi/plugin-users-permissions/server/controllers/validation/user': userValidators,
});
