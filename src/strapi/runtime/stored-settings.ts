import { defaultAccountSettings, readAccountSettings } from '#content/rights/account-settings.js';
import { grantKey, readGrants, writeGrants } from '#accounts/providers/stored-grants.js';
import { defaultTemplates } from '#accounts/mail/email-templates.js';
import { additionsIn, advancedIn, formOfTemplates, templateNames, templatesIn } from '#accounts/mail/settings-form.js';
import { changeSettings, type SettingsChange } from '#accounts/mail/write-settings.js';
import { ApiError, validationError } from '#base/errors.js';
import { mediaOf } from '#http/running.js';
import { imageChoicesKey, libraryViewKey, readLibrarySettings } from '#media/image-choices.js';
import { afterCommit } from '#store/send/transaction.js';
import { logosKey, openCodeStore, storeSetting, viewPrefix } from '#store/stores/code-store.js';
import { localeStore } from '#store/stores/locale-store.js';
import { collections } from '#model/schema/collections.js';
import { chooseDefaultLocale, forgetDefaultLocale } from '#content/locales.js';
import { mapValues, type Values } from '#base/values.js';
import { valuesOf } from '#settings/translation.js';
import type { ProjectRegisters } from './project-registers.js';
import type { StoreSetting, StoreSettings } from './strapi-store.js';

type Sources = Pick<ProjectRegisters, 'content' | 'running'>;

const database = ({ content }: Sources) => content().store.database;

const changeAccounts = (change: SettingsChange, { content, running }: Sources): Promise<void> =>
  changeSettings(change, running().config, content().store);

const store = (key: string, value: unknown, { content }: Sources): Promise<void> => storeSetting(key, value, content().store);

async function unstore(key: string, { content }: Sources): Promise<void> {
  const { database, changes } = content().store;
  await openCodeStore(database).delete(key);
  await afterCommit(database, async () => {
    changes.changed(collections.codeStore);
  });
}

/** The forms of the panel are loaded when the first setting is stored: a start does without them. */
const checked = {
  imageChoices: async (value: unknown): Promise<object> => {
    const { checkPanelBody } = await import('#admin/check-body.js');
    const { imageChoicesBody } = await import('#admin/library/library-settings.js');
    return checkPanelBody(imageChoicesBody, value);
  },
  libraryView: async (value: unknown): Promise<object> => {
    const { checkPanelBody } = await import('#admin/check-body.js');
    const { libraryViewBody } = await import('#admin/library/library-settings.js');
    return checkPanelBody(libraryViewBody, value);
  },
};

/** Returns settings of the media library. */
const library = (key: string, check: (value: unknown) => Promise<object>, sources: Sources): StoreSetting => ({
  read: () => readLibrarySettings(key, { database: database(sources), settings: mediaOf(sources.running()).settings }),
  write: async (value) => store(key, await check(value), sources),
  remove: () => unstore(key, sources),
});

/** Returns the log-in providers as they are in force. */
const grants = (sources: Sources): StoreSetting => ({
  read: () => readGrants(sources.running().config, database(sources)),
  write: (value) => writeGrants(value, sources.running().config, sources.content()),
  remove: () => unstore(grantKey, sources),
});

const advanced = (sources: Sources): StoreSetting => ({
  read: async () => (await readAccountSettings(database(sources))).advanced,
  write: (value) => changeAccounts({ advanced: advancedIn(Object(value) as Values) }, sources),
  remove: () => changeAccounts({ advanced: defaultAccountSettings }, sources),
});

const templatesKey = 'plugin_users-permissions_email';

/** Returns the templates of e-mails with what plugins have added to them, which is stored beside the settings. */
const emails = (sources: Sources): StoreSetting => ({
  read: async () => {
    const { templates } = await readAccountSettings(database(sources));
    const added = valuesOf(await openCodeStore(database(sources)).get(templatesKey));
    return mapValues(formOfTemplates(templates), (template, name) => ({ ...valuesOf(template), ...valuesOf(added[name]) }));
  },
  write: async (value) => {
    const form = Object(value) as Values;
    const templates = templatesIn(form);
    const partial = templateNames.find((name) => form[name] !== undefined && templates[name] === undefined);
    if (partial !== undefined) throw validationError(`${partial} needs options with from, response_email, object and message`);
    await changeAccounts({ templates }, sources);
    await store(templatesKey, additionsIn(form), sources);
  },
  remove: async () => {
    await changeAccounts({ templates: defaultTemplates }, sources);
    await unstore(templatesKey, sources);
  },
});

const defaultLocale = (sources: Sources): StoreSetting => ({
  read: async () => (await localeStore.read(database(sources))).default,
  write: (code) => chooseDefaultLocale(code, sources.content()),
  remove: () => forgetDefaultLocale(sources.content()),
});

/** Values that have no effect, by their key in Strapi v4, with what has. */
const unused: Readonly<Record<string, string>> = {
  core_admin_auth: 'there is no single sign-on for administrators',
  plugin_documentation_config: 'api.openapi of config/api says who may read the OpenAPI document',
  'plugin_upload_api-folder': 'files that are uploaded without a folder go to API Uploads',
};

/** Returns a value that is stored, and has no effect, which the log says. */
const withoutEffect = (key: string, instead: string, sources: Sources): StoreSetting => ({
  ...plain(key, sources),
  write: async (value) => {
    sources.content().notices.logOnce(`strapi.store: ${key} has no effect: ${instead}`);
    await store(key, value, sources);
  },
});

const plain = (key: string, sources: Sources): Omit<StoreSetting, 'write'> => ({
  read: () => openCodeStore(database(sources)).get(key),
  remove: () => unstore(key, sources),
});

const logos = (sources: Sources): StoreSetting => ({
  ...plain(logosKey, sources),
  write: async (value) => {
    const { checkLogos } = await import('#admin/settings/project-settings.js');
    checkLogos(value);
    await store(logosKey, value, sources);
  },
});

/** Returns how the panel shows a type or a component. Views of types that there are not are only stored. */
const view = (key: string, sources: Sources): StoreSetting => ({
  ...plain(key, sources),
  write: async (value) => {
    const { reasonOf, takeView } = await import('#admin/import/take-settings.js');
    const { store: target, notices } = sources.content();
    const { models } = sources.running().backend.models.inForce();
    const report = (reason: string, where: string): void =>
      void afterCommit(target.database, async () => {
        notices.logOnce(`strapi.store: ${key}: ${reason}: ${where}`);
      });
    const taken = await takeView({ key, value }, { store: target, models, isProduction: false, report }).catch(
      (error: unknown) => {
        throw error instanceof ApiError ? validationError(`strapi.store: ${key}: ${reasonOf(error)}`) : error;
      },
    );
    if (!taken) await store(key, value, sources);
  },
});

/**
 * Returns the settings of the service in the store of a project: log-in providers, the advanced settings and e-mails of users, the default
 * locale, the media library, the logos and the views of the panel.
 */
export function settingsInStore(sources: Sources): StoreSettings {
  const always: Readonly<Record<string, StoreSetting>> = {
    [grantKey]: grants(sources),
    'plugin_users-permissions_advanced': advanced(sources),
    [templatesKey]: emails(sources),
    plugin_i18n_default_locale: defaultLocale(sources),
    [imageChoicesKey]: library(imageChoicesKey, checked.imageChoices, sources),
    [libraryViewKey]: library(libraryViewKey, checked.libraryView, sources),
  };
  const byKey: Readonly<Record<string, StoreSetting>> = {
    ...always,
    [logosKey]: logos(sources),
    ...mapValues(unused, (instead, key) => withoutEffect(key, instead, sources)),
  };
  return {
    keys: Object.keys(always),
    of: (key) => (Object.hasOwn(byKey, key) ? (byKey[key] ?? null) : key.startsWith(viewPrefix) ? view(key, sources) : null),
  };
}
