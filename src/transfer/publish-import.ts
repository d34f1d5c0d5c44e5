import { readAccountSettings } from '../auth/account-settings.js';
import { changeSettings } from '../accounts/mail/write-settings.js';
import { ApiError } from '../errors.js';
import { publishImported } from '../mongo/stores/blob-store.js';
import { ensureIndexes } from '../mongo/models/ensure-indexes.js';
import { writeDefaultLocale } from '../mongo/stores/locale-store.js';
import { writeModels } from '../mongo/stores/model-store.js';
import { recordServed } from '../mongo/models/served-collections.js';
import { countStaged, dropStaged, publishStaged, stagedName } from '../mongo/transfer/staged.js';
import { uploadFile, type ContentType } from '../schema/content-type.js';
import { isRecord, type Values } from '../values.js';
import { restoreAddresses } from './bring-files.js';
import { publishTokens } from './bring-tokens.js';
import { type ImportRun, saveProgress } from './import-run.js';
import { usedSettings } from './source.js';

/**
 * Makes everything that was gathered visible, each type at once: indexes first, then collections take their places, models last. Each
 * step may run twice.
 */
export async function publishImport(run: ImportRun): Promise<void> {
  const { plan, context } = run;
  const { database } = context.store;
  const types = [...plan.types.values()];
  context.progress.begin('indexes', types.length);
  if (run.state.stage !== 'publish') {
    await restoreAddresses(run);
    await Promise.all(types.map((type) => finishType(run, type)));
    await saveProgress(run, 'publish', 0);
  }
  if (plan.types.has(uploadFile) && context.media !== null) await publishImported(database, run.state.run, context.media.owner);
  await recordServed(plan.registry, database);
  await publishStaged(
    database,
    types.map(({ collection }) => collection),
  );
  await writeModels(database, plan.models);
  await publishSettings(run);
  await publishTokens(run);
  await dropStaged(database);
  context.progress.end();
}

/** Builds the indexes of a type while nobody sees it. */
async function finishType({ plan, context, tally }: ImportRun, type: ContentType): Promise<void> {
  const { database } = context.store;
  const staged = { ...type, collection: stagedName(type.collection) };
  const missing = (tally.counts.get(type.uid) ?? 0) - (await countStaged(database, staged.collection));
  if (missing > 0) tally.report('entries have the id of another one', type.uid, missing);
  for (const problem of await ensureIndexes(database.db, staged, plan.registry)) tally.report(problem, type.uid);
  context.progress.advance(1);
}

async function publishSettings(run: ImportRun): Promise<void> {
  const settings = new Map(run.manifest.settings.map(({ key, value }) => [key, value]));
  const locale = settings.get(usedSettings.defaultLocale);
  if (typeof locale === 'string') await writeDefaultLocale(run.context.store.database, locale);
  const advanced = settings.get(usedSettings.advanced);
  if (isRecord(advanced)) await takeSettings(run, { advanced: pick(advanced, advancedKeys) });
  const templates = settings.get(usedSettings.templates);
  if (isRecord(templates)) for (const name of templateNames) await takeTemplate(run, name, templates[name]);
  reportProviders(run, settings.get(usedSettings.providers));
  if (settings.has(usedSettings.webhook)) run.tally.report('webhooks do not come: they are not offered', 'configuration');
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

async function takeTemplate(run: ImportRun, name: (typeof templateNames)[number], template: unknown): Promise<void> {
  const options = isRecord(template) && isRecord(template['options']) ? pick(template['options'], templateKeys) : {};
  const { from, response_email: answer, object, message } = options;
  const isWhole =
    isRecord(from) && [from['name'], from['email'], answer, object, message].every((part) => typeof part === 'string');
  if (!isWhole) return;
  await takeSettings(run, { templates: { [name]: options } });
}

/** A setting that does not fit leaves the others alone. */
async function takeSettings(run: ImportRun, change: Readonly<Record<string, Values>>): Promise<void> {
  const { config, store } = run.context;
  const stored = await readAccountSettings(store.database);
  try {
    await changeSettings(change, { stored, config, database: store.database });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    run.tally.report(`a setting of users and permissions is left out: ${error.message}`, Object.keys(change).join());
  }
}

function reportProviders({ tally }: ImportRun, providers: unknown): void {
  const names = Object.entries(isRecord(providers) ? providers : {}).flatMap(([name, provider]) =>
    name !== 'email' && isRecord(provider) && provider['enabled'] === true ? [name] : [],
  );
  for (const name of names)
    tally.report('login providers do not come: set them in plugins.users-permissions.config.providers', name);
}
