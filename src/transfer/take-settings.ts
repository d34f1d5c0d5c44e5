import { readAccountSettings } from '../auth/account-settings.js';
import { advancedIn, templatesIn } from '../accounts/mail/settings-form.js';
import { changeSettings, type SettingsChange } from '../accounts/mail/write-settings.js';
import type { Config } from '../config/config.js';
import { ApiError } from '../errors.js';
import type { Database } from '../mongo/send/database.js';
import { writeDefaultLocale } from '../mongo/stores/locale-store.js';
import { isRecord } from '../values.js';
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
  if (isRecord(advanced)) await take(target, { advanced: advancedIn(advanced) });
  const templates = settings.get(usedSettings.templates);
  for (const [name, template] of Object.entries(templatesIn(isRecord(templates) ? templates : {})))
    await take(target, { templates: { [name]: template } });
  reportProviders(target, settings.get(usedSettings.providers));
  if (settings.has(usedSettings.webhook)) target.report('webhooks are not imported: they are not offered', 'configuration');
}

async function take({ config, database, report }: SettingsTarget, change: SettingsChange): Promise<void> {
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
