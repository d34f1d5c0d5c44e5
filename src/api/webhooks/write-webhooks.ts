import { badRequestError, notFoundError } from '#base/errors.js';
import { is } from '#store/form/matches.js';
import { afterCommit } from '#store/send/transaction.js';
import { findFirst, findStored } from '#store/stored.js';
import type { Store } from '#store/store.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { entryStore } from '#store/write/write-entries.js';
import { collections } from '#model/schema/collections.js';
import type { Values } from '#base/values.js';
import { removeDeliveries } from './deliveries.js';
import { enabledWebhooks } from './enabled-webhooks.js';
import { type Webhook, webhookOf } from './webhook.js';

/** Values of a webhook that are set. */
export interface WebhookValues extends Partial<Omit<Webhook, 'id' | 'secrets'>> {
  readonly secret?: string;
}

const collection = collections.webhooks;

/** Most webhooks of a service. Each takes part in every write of the types that it names. */
const mostWebhooks = 100;

/** Most keys of a webhook that were replaced and still sign. */
const mostReplaced = 10;

/** Milliseconds for which a key that was replaced still signs. */
const overlap = 86_400_000;

/** Returns all webhooks, by id. */
export const listWebhooks = async ({ database }: Store): Promise<readonly Webhook[]> =>
  (await findStored(database, collection, { sort: { _id: 1 } })).map(webhookOf);

/** Returns the webhook of an id. Throws a NotFoundError if there is none. */
export async function findWebhook(id: number, { database }: Store): Promise<Webhook> {
  return webhookOf((await findFirst(database, collection, { _id: id })) ?? missing());
}

function missing(): never {
  throw notFoundError('webhook.notFound');
}

/** Stores a webhook, which is enabled unless the values say otherwise. Throws a BadRequestError if there are too many. */
export async function createWebhook(values: WebhookValues, store: Store): Promise<Webhook> {
  if ((await listWebhooks(store)).length >= mostWebhooks)
    throw badRequestError(`there are ${String(mostWebhooks)} webhooks already, which is the most`);
  const [_id = 0] = await store.ids.next(collection, 1, store.database);
  const { secret, ...others } = values;
  const secrets = secret === undefined ? {} : { secrets: [{ value: secret, until: null }] };
  const document = { _id, isEnabled: true, ...storedForm(others), ...secrets };
  await entryStore.insert(store, collection, document);
  await known(store);
  return webhookOf(document);
}

/** Changes a webhook. Another secret replaces the current one, which signs for another day. Throws a NotFoundError if there is none. */
export async function changeWebhook(id: number, values: WebhookValues, store: Store): Promise<Webhook> {
  const { secret, ...others } = values;
  const set = {
    ...storedForm(others),
    ...(secret !== undefined && { secrets: rotated(await findWebhook(id, store), secret, new Date()) }),
    ...(values.isEnabled === true && { disabledBecause: null }),
  };
  const changed = (await entryStore.update(store, collection, { match: { _id: id }, change: { set } })) ?? missing();
  await known(store);
  return webhookOf(changed);
}

function rotated({ secrets }: Webhook, secret: string, now: Date): Webhook['secrets'] {
  if (secrets[0]?.value === secret) return secrets;
  const end = new Date(now.getTime() + overlap);
  const former = secrets.filter(({ value, until }) => value !== secret && (until === null || until > now));
  if (former.length > mostReplaced) throw badRequestError('secret was replaced too often within a day');
  return [{ value: secret, until: null }, ...former.map(({ value, until }) => ({ value, until: until ?? end }))];
}

/** `populate` and `fields` are stored as JSON, because their keys may be operators. */
function storedForm({ populate, fields, ...values }: Omit<WebhookValues, 'secret'>): Values {
  const json = (value: unknown): string | null => JSON.stringify(value) ?? null;
  return {
    ...values,
    ...(populate !== undefined && { populate: json(populate) }),
    ...(fields !== undefined && { fields: json(fields) }),
  };
}

/** Deletes a webhook with its deliveries, and returns it. Throws a NotFoundError if there is none. */
export async function deleteWebhook(id: number, store: Store): Promise<Webhook> {
  const deleted = (await entryStore.remove(store, collection, { _id: id })) ?? missing();
  await forget([id], store);
  return webhookOf(deleted);
}

/** Deletes those of some webhooks that there are, with their deliveries. */
export async function deleteWebhooks(ids: readonly number[], store: Store): Promise<void> {
  await bulkWrite(store, collection, [{ deleteMany: { filter: { _id: is.oneOf(ids) } } }]);
  await forget(ids, store);
}

async function forget(ids: readonly number[], store: Store): Promise<void> {
  const { database } = store;
  await known(store);
  await afterCommit(database, () => removeDeliveries({ ...database, session: null }, ids));
}

/** Waits until this instance knows what it has written. */
const known = ({ database, changes }: Store): Promise<void> => afterCommit(database, () => enabledWebhooks(changes).settled());
