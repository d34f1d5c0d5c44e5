import { readAccountSettings } from '../auth/account-settings.js';
import { changeSettings } from '../accounts/mail/write-settings.js';
import type { Config } from '../config/config.js';
import { ApiError } from '../errors.js';
import type { Database } from '../mongo/send/database.js';
import { writeDefaultLocale } from '../mongo/stores/locale-store.js';
import { isRecord, type Values } from '../values.js';
import { usedSettings } from './source.js';

interface SettingsTarget {
  readonly config: Config;
  readonly database: Database;
  /** Reports what is not imported. */
  readonly report: (reason: string, where: string) => void;
}

/** Stores the settings of Strapi, by their keys there, that Mangrove has. Reports invalid ones, which do not prevent others. */
export async function takeSettings(settings: ReadonlyMap<string, unknown>, target: SettingsTarget): Promise<void> {
  const locale = settings.get(usedSettings.defaultLocale);
  if (typeof locale === 'string') await writeDefaultLocale(target.database, locale);
  const advanced = settings.get(usedSettings.advanced);
  if (isRecord(advanced)) await take(target, { advanced: pick(advanced, advancedKeys) });
  const templates = settings.get(usedSettings.templates);
  if (isRecord(templates)) for (const name of templateNames) await takeTemplate(target, name, templates[name]);
  reportProviders(target, settings.get(usedSettings.providers));
  if (settings.has(usedSettings.webhook)) target.report('webhooks are not imported: they are not offered', 'configuration');
}

const advancedKeys = [
  'unique_email',
  'allow_register',
  'email_confirmation',
  'email_reset_password',
  'email_confirmation_redirection',
  'default_role',
] as const;
const templateNames = ['reset_password', 'email_confirmation'] as const;
const templateKeys = ['from', 'response_email', 'object', 'message'] as const;

const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));

async function takeTemplate(target: SettingsTarget, name: (typeof templateNames)[number], template: unknown): Promise<void> {
  const options = isRecord(template) && isRecord(template['options']) ? pick(template['options'], templateKeys) : {};
  const { from, response_email: answer, object, message } = options;
  const isWhole =
    isRecord(from) && [from['name'], from['email'], answer, object, message].every((part) => typeof part === 'string');
  if (isWhole) await take(target, { templates: { [name]: options } });
}

async function take({ config, database, report }: SettingsTarget, change: Readonly<Record<string, Values>>): Promise<void> {
  const stored = await readAccountSettings(database);
  try {
    await changeSettings(change, { stored, config, database });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    report(`a setting of users and permissions is not imported: ${error.message}`, Object.keys(change).join());
  }
}

function reportProviders({ report }: SettingsTarget, providers: unknown): void {
  const names = Object.entries(isRecord(providers) ? providers : {}).flatMap(([name, provider]) =>
    name !== 'email' && isRecord(provider) && provider['enabled'] === true ? [name] : [],
  );
  for (const name of names)
    report('login providers are not imported: set them in plugins.users-permissions.config.providers', name);
}
