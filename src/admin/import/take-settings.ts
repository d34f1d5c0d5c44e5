import { ApiError } from '#base/errors.js';
import { findFirst } from '#store/stored.js';
import { libraryViewKey } from '#media/image-choices.js';
import { openCodeStore, uidOfView, viewPrefix } from '#store/stores/code-store.js';
import type { Store } from '#store/store.js';
import { collections } from '#model/schema/collections.js';
import type { Model } from '#model/schema/model.js';
import { isRecord, itemsOf } from '#base/values.js';
import { checkPanelBody } from '../check-body.js';
import { checkView } from '../content-manager/check-view.js';
import { writeView } from '../content-manager/view-configuration.js';
import { libraryViewBody } from '../library/library-settings.js';
import { isEvent } from '#api/webhooks/webhook.js';
import { createWebhook } from '#api/webhooks/write-webhooks.js';
import { newWebhookBody } from '../settings/webhook-body.js';
import { readStrapiView } from './strapi-view.js';

/** Where settings of Strapi's panel are stored. */
interface SettingsTarget {
  readonly store: Store;
  /** The models in force after the import, by uid. */
  readonly models: ReadonlyMap<string, Model>;
  readonly isProduction: boolean;
  /** Reports what is not taken. */
  readonly report: (reason: string, where: string) => void;
}

/** A setting of Strapi v4, by the key under which it is stored there. */
interface StrapiSetting {
  readonly key: string;
  readonly value: unknown;
}

type Take = (setting: StrapiSetting, target: SettingsTarget) => Promise<boolean>;

/** Settings of the panel by the beginning of their keys. */
const takers: Readonly<Record<string, Take>> = {
  [viewPrefix]: takeView,
  [libraryViewKey]: takeLibraryView,
  webhook: takeWebhook,
};

/** Stores a setting of the panel. Reports an invalid one. Returns whether it is stored. */
export async function takePanelSetting(setting: StrapiSetting, target: SettingsTarget): Promise<boolean> {
  try {
    const take = Object.entries(takers).find(([start]) => setting.key.startsWith(start))?.[1];
    return (await take?.(setting, target)) ?? false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    target.report(`a setting of the panel is not imported: ${reasonOf(error)}`, setting.key);
    return false;
  }
}

/** Returns the first problem of a setting. */
export function reasonOf({ details, message }: ApiError): string {
  const [first] = itemsOf(details?.['errors']);
  return typeof first === 'string' ? first : message;
}

/** Takes how the panel shows a type or a component. One of a model that there is not is left out, as the model itself. */
export async function takeView({ key, value }: StrapiSetting, { store, models, report }: SettingsTarget): Promise<boolean> {
  const model = models.get(uidOfView(key));
  if (model === undefined) return false;
  const { view, lost } = readStrapiView(value, model, models);
  await checkView(model, view);
  await writeView(model, view, store.database);
  for (const name of lost) report('a view names an attribute that its model lacks', `${model.uid} ${name}`);
  return true;
}

async function takeLibraryView({ value }: StrapiSetting, { store: { database } }: SettingsTarget): Promise<boolean> {
  await openCodeStore(database).set(libraryViewKey, await checkPanelBody(libraryViewBody, value));
  return true;
}

/** Takes a webhook with the events that there are, unless one of the same name and address is stored. */
async function takeWebhook({ value }: StrapiSetting, { store, isProduction, report }: SettingsTarget): Promise<boolean> {
  const { name, url, headers, events, enabled } = isRecord(value) ? value : {};
  const sent = Object.entries(isRecord(headers) ? headers : {}).filter(([header]) => /^[\w!#$%&'*+.^`|~-]+$/.test(header));
  const given = { name, url, headers: Object.fromEntries(sent), events };
  const webhook = await checkPanelBody(newWebhookBody(isProduction), given);
  for (const event of webhook.events) if (!isEvent(event)) report(`an event of a webhook is not offered: ${event}`, webhook.name);
  if ((await findFirst(store.database, collections.webhooks, { name: webhook.name, url: webhook.url })) !== null) return true;
  await createWebhook({ ...webhook, events: webhook.events.filter(isEvent), isEnabled: enabled !== false }, store);
  return true;
}
