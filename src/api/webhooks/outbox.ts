import { isDeepStrictEqual } from 'node:util';
import { readRoles, type Roles } from '#content/rights/role.js';
import { roleAccess } from '#content/rights/role-access.js';
import type { Config } from '#settings/config.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import { type ContentSource, createContext } from '#content/create-context.js';
import { createBudget } from '#base/limits/budget.js';
import { cacheUntilChanged } from '#store/changes/changes.js';
import type { EntryEvent, EntryWritten, Subscriber } from '#store/changes/entry-events.js';
import type { Database } from '#store/send/database.js';
import { afterCommit } from '#store/send/transaction.js';
import { type NewDelivery, storeDeliveries } from '#store/stores/delivery-store.js';
import { fullAccess } from '#model/query/access.js';
import { collections } from '#model/schema/collections.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { entryBody, seenEntry } from './event-body.js';
import { eventsOf, type EnabledWebhooks, publicationIn, publications } from './enabled-webhooks.js';
import type { Webhook, WebhookEvent } from './webhook.js';

/** What the outbox needs of the service. */
interface OutboxParts {
  readonly config: Config;
  readonly source: ContentSource;
  readonly webhooks: EnabledWebhooks;
}

/** An event that some updates are besides. Only the entry before them says which. */
interface UpdateEvent {
  readonly names: readonly WebhookEvent[];
  /** Returns whether updates of entries of a type may be such an event. */
  readonly isOf: (type: ContentType) => boolean;
  /** Returns the event that an update is, and what its body says besides the entry; null if it is none. */
  readonly find: (event: EntryWritten) => { readonly name: WebhookEvent; readonly more?: Values } | null;
}

/**
 * Returns the subscriber that stores a delivery for each webhook that is told of such an event, in the transaction of the update. It needs
 * the entry before an update, which costs a command.
 */
export function updateSubscriber(parts: OutboxParts, { names, isOf, find }: UpdateEvent): Subscriber {
  const tell = teller(parts);
  return {
    subscribesTo: (kind, type) => kind === 'update' && isOf(type) && parts.webhooks.hasReceivers(names, type.uid),
    needsBefore: true,
    within: async (event, database) => {
      const found = event.kind === 'any' ? null : find(event);
      if (found !== null) await tell(event, { names: [found.name], ...found }, database);
    },
  };
}

/** Returns the subscribers that store a delivery for each webhook that is told of a write, in the transaction of the write. */
export function outboxSubscribers(parts: OutboxParts): readonly Subscriber[] {
  const { webhooks } = parts;
  const tell = teller(parts);
  const isOf = ({ draftAndPublish }: ContentType): boolean => draftAndPublish;
  const find: UpdateEvent['find'] = (event) => publicationIn(event).map((name) => ({ name }))[0] ?? null;
  return [
    {
      subscribesTo: (kind, { uid }) => webhooks.hasReceivers(eventsOf(kind, uid), uid),
      within: (event, database) =>
        changesOptionsAlone(event) ? Promise.resolve() : tell(event, { names: eventsOf(event.kind, event.type.uid) }, database),
    },
    updateSubscriber(parts, { names: publications, isOf, find }),
  ];
}

/** Returns whether an update changes attributes that options add and no others. The features of these options tell of it. */
function changesOptionsAlone(event: EntryEvent): boolean {
  if (event.kind !== 'update' || event.before === undefined) return false;
  const { attributes } = event.type;
  const isOther = (name: string): boolean => !name.startsWith('_') && attributes.get(name)?.added !== 'option';
  if ([...attributes.keys()].every(isOther)) return false;
  const [before, after] = [event.before, event.document].map((document) =>
    Object.fromEntries(Object.entries(document).filter(([name]) => isOther(name))),
  );
  return isDeepStrictEqual(before, after);
}

interface EventParts {
  readonly names: readonly WebhookEvent[];
  /** What the body says besides the entry. */
  readonly more?: Values;
}

type StoreEvents = (event: EntryEvent, told: EventParts, database: Database) => Promise<void>;

function teller({ config, source, webhooks }: OutboxParts): StoreEvents {
  const { store } = source;
  const roles = cacheUntilChanged(store.changes, [collections.roles, collections.permissions], () => readRoles(store.database));
  return async (event, { names, more }, database) => {
    if (event.kind === 'any') return;
    const receivers = names.flatMap((name) =>
      webhooks.receiversOf(name, event.type.uid).map((webhook) => [name, webhook] as const),
    );
    const deliveries = await deliveriesOf(event, receivers, { config, source, database, roles, ...(more && { more }) });
    if (deliveries.length === 0) return;
    const trace = database.sender?.trace;
    const traced = trace === undefined ? deliveries : deliveries.map((delivery) => ({ ...delivery, trace }));
    await storeDeliveries(database, traced, event.at);
    await afterCommit(database, () => Promise.resolve(webhooks.wake(deliveries.map(({ webhook }) => webhook))));
  };
}

interface DeliveryParts extends Pick<OutboxParts, 'config' | 'source'> {
  /** The database with the transaction of the write. */
  readonly database: Database;
  readonly roles: () => Promise<Roles>;
  /** What the bodies say besides the entry. */
  readonly more?: Values;
}

/** Returns the deliveries of the events of an entry, except for those to webhooks whose role may not see the entry. */
export async function deliveriesOf(
  event: EntryWritten,
  receivers: readonly (readonly [name: WebhookEvent, webhook: Webhook])[],
  parts: DeliveryParts,
): Promise<readonly NewDelivery[]> {
  const { type, id } = event;
  const deliveries: NewDelivery[] = [];
  for (const [name, webhook] of receivers) {
    const content = await contextFor(webhook, parts);
    const visibleEntry = content && (await seenEntry(event, webhook, content));
    if (visibleEntry === null) continue;
    const body = entryBody(name, event, { ...visibleEntry, ...(parts.more && { more: parts.more }) }, webhook.format);
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
