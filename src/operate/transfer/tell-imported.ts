import { createHash } from 'node:crypto';
import { readRoles } from '#content/rights/role.js';
import { is } from '#store/form/matches.js';
import type { Document } from '#store/send/database.js';
import { type NewDelivery, storeDeliveries } from '#store/stores/delivery-store.js';
import { localeStore } from '#store/stores/locale-store.js';
import { findStored } from '#store/stored.js';
import type { ContentType } from '#model/schema/content-type.js';
import { eventsOf, receiversAmong } from '#api/webhooks/enabled-webhooks.js';
import { deliveriesOf } from '#api/webhooks/outbox.js';
import { listWebhooks } from '#api/webhooks/write-webhooks.js';
import type { ImportRun } from './import-run.js';

/** Number of entries that are told of at once. */
const batch = 200;

type DeliveriesOf = (document: Document) => Promise<readonly NewDelivery[]>;

/**
 * Stores the events of all imported entries for the webhooks that are told of them. After an interruption it runs again; the ids of
 * events depend on nothing but the import, so that none is stored twice.
 */
export async function tellImported(run: ImportRun): Promise<void> {
  const { store } = run.context;
  const webhooks = (await listWebhooks(store)).filter(({ isEnabled }) => isEnabled);
  for (const type of webhooks.length === 0 ? [] : run.plan.types.values()) {
    const told = await teller(run, type, webhooks);
    if (told === null) continue;
    for (let last = -1, rows = await entriesAfter(last); rows.length > 0; rows = await entriesAfter(last)) {
      const deliveries = (await Promise.all(rows.map(told))).flat();
      if (deliveries.length > 0) await storeDeliveries(store.database, deliveries, new Date());
      last = Number(rows.at(-1)?.['_id']);
    }
    function entriesAfter(id: number): Promise<readonly Document[]> {
      return findStored(store.database, type.collection, { match: { _id: is.above(id) }, sort: { _id: 1 }, limit: batch });
    }
  }
}

/** Returns the function that returns the events of an entry of a type; null if nobody is told of the type. */
async function teller(
  { context, plan, state }: ImportRun,
  type: ContentType,
  all: Awaited<ReturnType<typeof listWebhooks>>,
): Promise<DeliveriesOf | null> {
  const { config, store } = context;
  const { database } = store;
  const told = eventsOf('create', type.uid).flatMap((name) =>
    receiversAmong(all, name, type.uid).map((webhook) => [name, webhook] as const),
  );
  if (told.length === 0) return null;
  const [roles, locales] = await Promise.all([readRoles(database), localeStore.read(database)]);
  const source = { store, models: { snapshot: { registry: plan.registry, locales } } };
  const parts = { config, source, database, roles: () => Promise.resolve(roles) };
  const idOf = (parts: readonly unknown[]): string =>
    `msg_${createHash('sha256').update(parts.join(' ')).digest('base64url').slice(0, 24)}`;
  return async (document) => {
    const id = Number(document['_id']);
    const locale = type.localized && typeof document['locale'] === 'string' ? document['locale'] : null;
    const about = { type, by: null, requestId: null, agent: null, at: new Date() } as const;
    const event = { kind: 'create', action: 'create', id, locale, document, ...about } as const;
    const deliveries = await deliveriesOf(event, told, parts);
    return deliveries.map((delivery) => ({ ...delivery, id: idOf([state.run, delivery.webhook, type.uid, id]) }));
  };
}
