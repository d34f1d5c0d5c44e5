import { settingsId, type AccountSettings, type StoredSettings } from '../access/account-settings.js';
import { fieldErrors, type FieldError } from '../errors.js';
import type { Database } from '../mongo/database.js';
import { writeSettings } from '../mongo/settings-store.js';
import { unknownPlaceholders } from './email-templates.js';

/** The settings to change, in their form; others stay as they are. */
export interface SettingsChange {
  readonly advanced?: Partial<AccountSettings>;
  readonly templates?: StoredSettings['templates'];
}

/** Changes settings. Throws a ValidationError if an address or a placeholder of a template is none. */
export async function changeSettings(change: SettingsChange, stored: StoredSettings, database: Database): Promise<void> {
  const { advanced = {}, templates = {} } = change;
  const problems = [...addressProblems(advanced), ...Object.entries(templates).flatMap(placeholderProblems)];
  if (problems.length > 0) throw fieldErrors(problems);
  await writeSettings(database, settingsId, {
    advanced: { ...stored.advanced, ...advanced },
    templates: { ...stored.templates, ...templates },
  });
}

/** Browsers are sent to these addresses: a web address or a path, and nothing that could run. */
const address = /^(https?:\/\/[^\s]+|\/[^\s/\\][^\s\\]*|\/)$/;

function addressProblems(advanced: Partial<AccountSettings>): FieldError[] {
  return (['email_reset_password', 'email_confirmation_redirection'] as const).flatMap((name) => {
    const value: unknown = advanced[name] ?? null;
    const isAddress = value === null || (typeof value === 'string' && address.test(value));
    return isAddress ? [] : [{ path: ['advanced', name], message: `${name} must be a web address, or null` }];
  });
}

function placeholderProblems([name, { object, message }]: [string, { readonly object: string; readonly message: string }]) {
  const unknown = [...unknownPlaceholders(object), ...unknownPlaceholders(message)];
  return unknown.map((placeholder): FieldError => {
    return { path: ['templates', name], message: `${name} names ${placeholder}, which there is not` };
  });
}
