import type { Body } from '#accounts/accounts.js';
import { fieldProblems, refuseProblems } from '#accounts/check-fields.js';
import { changedUserProblems, newUserProblems } from '#accounts/users/user-input.js';
import type { FieldError } from '#base/errors.js';
import { mapValues } from '#base/values.js';
import type { Service } from '../services/core-service.js';

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
