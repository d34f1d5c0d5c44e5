import { defaultAccountSettings, settingsId, type AccountSettings, type StoredSettings } from '../access/account-settings.js';
import { fieldErrors, type FieldError } from '../errors.js';
import type { Database } from '../mongo/database.js';
import { writeSettings } from '../mongo/settings-store.js';
import { isValues } from '../schema/check-input.js';
import type { Body } from './accounts.js';
import { unknownPlaceholders } from './email-templates.js';

/** What each setting must be. */
const advancedChecks: Readonly<Record<keyof AccountSettings, (value: unknown) => string | null>> = {
  unique_email: flag,
  allow_register: flag,
  email_confirmation: flag,
  email_reset_password: address,
  email_confirmation_redirection: address,
  default_role: (value) => (typeof value === 'string' && value !== '' ? null : 'must be the type of a role'),
};

function flag(value: unknown): string | null {
  return typeof value === 'boolean' ? null : 'must be true or false';
}

/** Browsers are sent there, so that nothing but a web address or a path will do. */
function address(value: unknown): string | null {
  const isAddress = typeof value === 'string' && /^(https?:\/\/[^\s]+|\/[^\s/\\][^\s\\]*|\/)$/.test(value);
  return value === null || isAddress ? null : 'must be a web address, or null';
}

/** Changes the settings that a body names, under `advanced` and `templates`. Throws a ValidationError. */
export async function changeSettings(body: Body, stored: StoredSettings, database: Database): Promise<void> {
  const advanced = isValues(body['advanced']) ? body['advanced'] : {};
  const templates = isValues(body['templates']) ? body['templates'] : {};
  const problems = [...advancedProblems(advanced), ...Object.entries(templates).flatMap(templateProblems)];
  if (problems.length > 0) throw fieldErrors(problems);
  await writeSettings(database, settingsId, {
    advanced: { ...stored.advanced, ...advanced },
    templates: { ...stored.templates, ...templates },
  });
}

function advancedProblems(advanced: Body): FieldError[] {
  return Object.entries(advanced).flatMap(([name, value]) => {
    const known = Object.hasOwn(defaultAccountSettings, name);
    const problem = known ? advancedChecks[name as keyof AccountSettings](value) : 'is no setting'; // an own key
    return problem === null ? [] : [{ path: ['advanced', name], message: `${name} ${problem}` }];
  });
}

function templateProblems([name, template]: [string, unknown]): FieldError[] {
  const path = ['templates', name];
  if (name !== 'reset_password' && name !== 'email_confirmation') return [{ path, message: `${name} is no template` }];
  const { object, message, from } = isValues(template) ? template : {};
  if (typeof object !== 'string' || typeof message !== 'string' || !isValues(from))
    return [{ path, message: `${name} must have object, message and from` }];
  const unknown = [...unknownPlaceholders(object), ...unknownPlaceholders(message)];
  return unknown.map((placeholder) => ({ path, message: `${name} names ${placeholder}, which there is not` }));
}
