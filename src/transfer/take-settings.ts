import { advancedIn, templatesIn } from '../accounts/mail/settings-form.js';
import { grantProblems } from '../accounts/providers/stored-grants.js';
import { changeSettings, type SettingsChange } from '../accounts/mail/write-settings.js';
import type { Config } from '../config/config.js';
import { ApiError } from '../errors.js';
import { imageChoicesKey } from '../media/image-choices.js';
import type { Store } from '../mongo/store.js';
import { openCodeStore } from '../mongo/stores/code-store.js';
import { writeDefaultLocale } from '../mongo/stores/locale-store.js';
import { isRecord, type Values } from '../values.js';
import { usedSettings } from './source.js';

interface SettingsTarget {
  readonly config: Config;
  readonly store: Store;
  /** Reports what is not imported. */
  readonly report: (reason: string, where: string) => void;
}

/** Stores the settings of Strapi, by their keys there, that Mangrove has. Reports invalid ones, which do not prevent others. */
export async function takeSettings(settings: ReadonlyMap<string, unknown>, target: SettingsTarget): Promise<void> {
  const locale = settings.get(usedSettings.defaultLocale);
  if (typeof locale === 'string') await writeDefaultLocale(target.store.database, locale);
  const advanced = settings.get(usedSettings.advanced);
  if (isRecord(advanced)) await take(target, { advanced: advancedIn(advanced) });
  const templates = settings.get(usedSettings.templates);
  for (const [name, template] of Object.entries(templatesIn(isRecord(templates) ? templates : {})))
    await take(target, { templates: { [name]: template } });
  await takeProviders(target, settings.get(usedSettings.providers));
  await takeImageChoices(target, settings.get(usedSettings.images));
}

async function take({ config, store, report }: SettingsTarget, change: SettingsChange): Promise<void> {
  try {
    await changeSettings(change, config, store);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    report(`a setting of users and permissions is not imported: ${error.message}`, Object.keys(change).join());
  }
}

/** Stores the login providers. Reports those that are switched on and log nobody in. */
async function takeProviders({ config, store, report }: SettingsTarget, providers: unknown): Promise<void> {
  if (!isRecord(providers)) return;
  const all = Object.entries(providers).flatMap(([name, provider]) =>
    isName(name) && isRecord(provider) ? [[name, plain(provider)] as const] : [],
  );
  await openCodeStore(store.database).set(usedSettings.providers, Object.fromEntries(all));
  for (const [name, grant] of all) for (const problem of grantProblems(name, grant, config)) report(problem, name);
}

const isName = (name: string): boolean => /^[\w-]{1,50}$/.test(name);

/** Returns the values of a provider that are texts, numbers, flags or lists of texts. */
const plain = (provider: Values): Values =>
  Object.fromEntries(Object.entries(provider).filter(([name, value]) => isName(name) && [value].flat().every(isPlain)));

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Stores what was chosen for new images. */
async function takeImageChoices({ store }: SettingsTarget, choices: unknown): Promise<void> {
  if (!isRecord(choices)) return;
  const names = ['sizeOptimization', 'responsiveDimensions', 'autoOrientation'];
  const chosen = Object.entries(choices).filter(([name, value]) => names.includes(name) && typeof value === 'boolean');
  await openCodeStore(store.database).set(imageChoicesKey, Object.fromEntries(chosen));
}
