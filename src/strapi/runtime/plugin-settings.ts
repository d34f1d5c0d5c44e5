import { readAccountSettings } from '../../auth/account-settings.js';
import type { Body } from '../../accounts/accounts.js';
import { fieldProblems, refuseProblems } from '../../accounts/check-fields.js';
import { defaultTemplates } from '../../accounts/mail/email-templates.js';
import { changedUserProblems, newUserProblems } from '../../accounts/users/user-input.js';
import type { FieldError } from '../../errors.js';
import type { ProjectRegisters } from './project-registers.js';
import type { Service } from '../services/core-service.js';
import type { ReadSettings } from './strapi-store.js';

/**
 * Returns a function that reads settings of users and permissions by the keys of Strapi v4's store: `grant` (login providers),
 * `advanced`, and `email` (templates).
 */
export const readPluginSettings =
  ({ content, running }: Pick<ProjectRegisters, 'content' | 'running'>): ReadSettings =>
  async (key) => {
    const read = async () => readAccountSettings(content().store.database);
    switch (key) {
      case 'plugin_users-permissions_grant': {
        const { providers } = running().config.plugins['users-permissions'].config;
        const enabled = Object.entries(providers).map(([name, { clientId }]) => [name, { enabled: true, key: clientId }]);
        return { email: { enabled: true }, ...(Object.fromEntries(enabled) as object) };
      }
      case 'plugin_users-permissions_advanced':
        return (await read()).advanced;
      case 'plugin_users-permissions_email':
        return { ...defaultTemplates, ...(await read()).templates };
      default:
        return null;
    }
  };

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

const loginValidators = Object.fromEntries(
  Object.entries(bodies).map(([name, fields]) => {
    const rules = Object.fromEntries(fields.map((field) => [field, ['required'] as const]));
    return [name, validator((body) => fieldProblems(body, rules))];
  }),
);

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
