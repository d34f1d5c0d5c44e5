import { additionsIn, advancedIn, templateNames, templatesIn } from '#accounts/mail/settings-form.js';
import { grantFaults, grantProblems } from '#accounts/providers/read-grant.js';
import { changeSettings, type SettingsChange } from '#accounts/mail/write-settings.js';
import type { Config } from '#settings/config.js';
import { ApiError } from '#base/errors.js';
import { imageChoicesKey } from '#media/image-choices.js';
import type { Store } from '#store/store.js';
import { openCodeStore } from '#store/stores/code-store.js';
import { localeStore } from '#store/stores/locale-store.js';
import { jsonProblems } from '#model/schema/check-json.js';
import { isRecord, type Values } from '#base/values.js';
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
  if (typeof locale === 'string') await localeStore.writeDefault(target.store.database, locale);
  const advanced = settings.get(usedSettings.advanced);
  if (isRecord(advanced)) await take(target, { advanced: advancedIn(advanced) });
  await takeTemplates(target, settings.get(usedSettings.templates));
  await takeProviders(target, settings.get(usedSettings.providers));
  await takeImageChoices(target, settings.get(usedSettings.images));
}

/** Stores the templates of e-mails, with what plugins have added to them. Reports those that are not whole. */
async function takeTemplates(target: SettingsTarget, form: unknown): Promise<void> {
  if (!isRecord(form)) return;
  const templates = templatesIn(form);
  for (const [name, template] of Object.entries(templates)) await take(target, { templates: { [name]: template } });
  for (const name of templateNames.filter((one) => form[one] !== undefined && templates[one] === undefined))
    target.report('a template of e-mails is not imported: it lacks from, response_email, object or message', name);
  const additions = additionsIn(form);
  const [problem] = jsonProblems(additions, 'templates');
  if (problem === undefined) await openCodeStore(target.store.database).set(usedSettings.templates, additions);
  else target.report(`what plugins have added to the templates of e-mails is not imported: ${problem}`, usedSettings.templates);
}

async function take({ config, store, report }: SettingsTarget, change: SettingsChange): Promise<void> {
  try {
    await changeSettings(change, config, store);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    report(`a setting of users and permissions is not imported: ${error.message}`, Object.keys(change).join());
  }
}

/** Stores the login providers. Reports what of them cannot be stored, and those that are switched on and log nobody in. */
async function takeProviders({ config, store, report }: SettingsTarget, providers: unknown): Promise<void> {
  if (!isRecord(providers)) return;
  const leftOut = (reason: string, name: string): readonly never[] => {
    report(`a setting of the log-in providers is not imported: ${reason}`, name);
    return [];
  };
  const all = Object.entries(providers).flatMap(([name, provider]): readonly (readonly [string, Values])[] => {
    if (!isRecord(provider)) return leftOut(`providers.${name} must be an object`, name);
    const [problem] = jsonProblems({ [name]: provider }, 'providers');
    return problem === undefined ? [[name, storable(name, provider, leftOut)]] : leftOut(problem, name);
  });
  await openCodeStore(store.database).set(usedSettings.providers, Object.fromEntries(all));
  for (const [name, grant] of all) for (const problem of grantProblems(name, grant, config)) report(problem, name);
}

/** Returns the settings of a provider that can be stored. Calls `leftOut` with the reasons why others cannot. */
function storable(name: string, provider: Values, leftOut: (reason: string, name: string) => unknown): Values {
  const faults = grantFaults(name, provider);
  for (const { message } of faults) leftOut(message, name);
  const wrong = new Set(faults.map(({ setting }) => setting));
  return Object.fromEntries(Object.entries(provider).filter(([setting]) => !wrong.has(setting)));
}

/** Stores what was chosen for new images. */
async function takeImageChoices({ store }: SettingsTarget, choices: unknown): Promise<void> {
  if (!isRecord(choices)) return;
  const names = ['sizeOptimization', 'responsiveDimensions', 'autoOrientation'];
  const chosen = Object.entries(choices).filter(([name, value]) => names.includes(name) && typeof value === 'boolean');
  await openCodeStore(store.database).set(imageChoicesKey, Object.fromEntries(chosen));
}
