import { afterCommit } from '#store/send/transaction.js';
import { storeDeliveries, eventBody } from '#store/stores/delivery-store.js';
import type { Store } from '#store/store.js';
import { isRecord } from '#base/values.js';
import { largestBody } from './event-body.js';
import { enabledWebhooks } from './enabled-webhooks.js';

/** Stores an event that project code has emitted, for the webhooks that are told of it. */
export async function tellOwnEvent(event: string, payload: unknown, { database, changes }: Store): Promise<void> {
  const receivers = enabledWebhooks(changes);
  const webhooks = receivers.receiversOf(event, '');
  if (webhooks.length === 0) return;
  const at = new Date();
  const isLarge = Buffer.byteLength(JSON.stringify(payload) ?? '') > largestBody;
  const about = isLarge ? { problem: 'the event is larger than 1 MB' } : isRecord(payload) ? payload : {};
  const deliveries = webhooks.map(({ id, format }) => ({
    ...{ webhook: id, key: `event ${event}`, type: event },
    body: eventBody({ event, at, about }, format),
  }));
  await storeDeliveries(database, deliveries, at);
  await afterCommit(database, () => Promise.resolve(receivers.wake(webhooks.map(({ id }) => id))));
}
