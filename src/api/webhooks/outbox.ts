import { readRoles, type Roles } from '#content/rights/role.js';
import { roleAccess } from '#content/rights/role-access.js';
import type { Config } from '#settings/config.js';
import { type ContentContext, type ContentSource, createContext, withDatabase } from '#content/content-context.js';
import { createBudget } from '#base/limits/budget.js';
import { cacheUntilChanged } from '#store/changes/changes.js';
import type { EntryEvent, EntryWritten, Subscriber } from '#store/changes/entry-events.js';
import { afterCommit } from '#store/send/around-commit.js';
import type { Database } from '#store/send/database.js';
import { type NewDelivery, storeDeliveries } from '#store/stores/delivery-store.js';
import { fullAccess } from '#model/query/access.js';
import { collections } from '#model/schema/collections.js';
import { entryBody, seenEntry } from './event-body.js';
import { eventsOf, type KnownWebhooks, publicationIn, publications } from './known-webhooks.js';
import type { Webhook, WebhookEvent } from './webhook.js';

/** What the outbox needs of the service. */
interface OutboxParts {
  readonly config: Config;
  readonly source: ContentSource;
  readonly known: KnownWebhooks;
}

/**
 * Returns the subscribers that store a delivery for each webhook that is told of a write, in the transaction of the write. Only those
 * of publications need the entry before an update, which costs a command.
 */
export function outboxSubscribers(parts: OutboxParts): readonly Subscriber[] {
  const { known } = parts;
  const tell = teller(parts);
  return [
    {
      hears: (kind, { uid }) => known.hears(eventsOf(kind, uid), uid),
      within: (event, database) => tell(event, eventsOf(event.kind, event.type.uid), database),
    },
    {
      hears: (kind, { draftAndPublish, uid }) => kind === 'update' && draftAndPublish && known.hears(publications, uid),
      needsBefore: true,
      within: (event, database) => tell(event, publicationIn(event), database),
    },
  ];
}

type Tell = (event: EntryEvent, names: readonly WebhookEvent[], database: Database) => Promise<void>;

function teller({ config, source, known }: OutboxParts): Tell {
  const { store } = source;
  const roles = cacheUntilChanged(store.changes, [collections.roles, collections.permissions], () => readRoles(store.database));
  return async (event, names, database) => {
    if (event.kind === 'any') return;
    const told = names.flatMap((name) => known.telling(name, event.type.uid).map((webhook) => [name, webhook] as const));
    const deliveries = await deliveriesOf(event, told, { config, source, database, roles });
    if (deliveries.length === 0) return;
    const trace = database.sender?.trace;
    const traced = trace === undefined ? deliveries : deliveries.map((delivery) => ({ ...delivery, trace }));
    await storeDeliveries(database, traced, event.at);
    await afterCommit(database, () => Promise.resolve(known.wake(deliveries.map(({ webhook }) => webhook))));
  };
}

interface DeliveryParts extends Pick<OutboxParts, 'config' | 'source'> {
  /** The database with the transaction of the write. */
  readonly database: Database;
  readonly roles: () => Promise<Roles>;
}

/** Returns the deliveries of the events of an entry, except for those to webhooks whose role may not see the entry. */
export async function deliveriesOf(
  event: EntryWritten,
  told: readonly (readonly [name: WebhookEvent, webhook: Webhook])[],
  parts: DeliveryParts,
): Promise<readonly NewDelivery[]> {
  const { type, id } = event;
  const deliveries: NewDelivery[] = [];
  for (const [name, webhook] of told) {
    const content = await contextFor(webhook, parts);
    const seen = content && (await seenEntry(event, webhook, content));
    if (seen === null) continue;
    const body = entryBody(name, event, seen, webhook.format);
    deliveries.push({ webhook: webhook.id, key: `${type.uid} ${String(id)}`, type: name, body });
  }
  return deliveries;
}

/** Returns the context in which a webhook reads entries; null if its role was deleted. */
async function contextFor(webhook: Webhook, { config, source, database, roles }: DeliveryParts): Promise<ContentContext | null> {
  const { registry } = source.models.snapshot;
  const role = webhook.role === null ? null : ((await roles()).byType.get(webhook.role) ?? null);
  if (webhook.role !== null && role === null) return null;
  const access = role === null ? fullAccess : roleAccess(role, null, { registry, limits: config.api.limits });
  const budget = createBudget(config.api.limits, 'known', source.budget);
  const context = withDatabase(createContext(config, source, access), { ...database, budget });
  return { ...context, bind: { ...context.bind, budget } };
}
