import { waited } from '#base/limits/timers.js';
import { collections } from '#model/schema/collections.js';
import { cacheTagOf } from '#model/schema/cache-tags.js';
import type { Registry } from '#model/schema/content-type.js';
import type { EntryEvent, Subscriber } from '#store/changes/entry-events.js';
import { longestSilence } from '#store/changes/changes.js';
import { is } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { inTransaction } from '#store/send/transaction.js';
import { eventBody, storeDeliveries, storePurge } from '#store/stores/delivery-store.js';
import { ownRows } from '#store/write/own-rows.js';
import type { EnabledWebhooks } from './enabled-webhooks.js';

/** Maximum number of tags of an event. Beyond it, those of entries are left out, since each of them has that of its type beside it. */
const mostTags = 1_000;

/** Maximum number of writes whose tags are read at once. */
const mostRead = 10_000;

/** The tags of a write that webhooks were not told of yet. */
interface Purge {
  readonly _id: unknown;
  readonly tags: readonly string[];
}

const purges = ownRows<Purge>(collections.purges);

const purgeEvent = 'cache.purge';

/** Types whose entries decide what callers see of all types. */
const rights: readonly string[] = [collections.permissions, collections.roles, collections.locales];

/** Returns the subscriber that stores the tags of each write, in its transaction, if a webhook is told of them. */
export function purgeSubscriber(database: Database, webhooks: EnabledWebhooks, registry: () => Registry): Subscriber {
  const store = (event: EntryEvent, own: Database): Promise<void> => storePurge(own, tagsOf(event, registry()));
  return {
    subscribesTo: (kind) => kind !== 'draft' && webhooks.hasReceivers([purgeEvent], ''),
    within: store,
    // another program has replaced the collection, outside of any transaction of this service
    after: (event) => (event.kind === 'any' ? store(event, database) : undefined),
  };
}

function tagsOf(event: EntryEvent, { types }: Registry): readonly string[] {
  const { type } = event;
  if (rights.includes(type.collection)) return [...types.values()].map((one) => cacheTagOf(one));
  return [cacheTagOf(type), ...(event.kind === 'any' ? [] : [cacheTagOf(type, event.id)])];
}

interface PurgeParts {
  readonly database: Database;
  readonly webhooks: EnabledWebhooks;
  readonly observe: (err: unknown) => void;
}

/**
 * Tells webhooks of the tags of all writes of about a second, until the signal aborts. One instance at a time must do so. It waits for so
 * long that no instance answers from memory any more what these writes have changed, since a cache may ask again at once.
 */
export async function tellPurges(parts: PurgeParts, ends: AbortSignal): Promise<void> {
  do {
    if (!parts.webhooks.hasReceivers([purgeEvent], '')) continue;
    try {
      const rows = await purges.find(parts.database, { limit: mostRead });
      if (rows.length > 0 && (await waited(longestSilence, ends, { ref: false }))) await storePurgeDeliveries(rows, parts);
    } catch (err) {
      parts.observe(err);
    }
  } while (await waited(longestSilence, ends, { ref: false }));
}

async function storePurgeDeliveries(rows: readonly Purge[], { database, webhooks: known }: PurgeParts): Promise<void> {
  const all = [...new Set(rows.flatMap(({ tags }) => tags))].sort();
  const tags = all.length > mostTags ? all.filter((tag) => !tag.includes(':')) : all;
  const at = new Date();
  const webhooks = known.receiversOf(purgeEvent, '');
  const deliveries = webhooks.map(({ id, format }) => ({
    ...{ webhook: id, key: purgeEvent, type: purgeEvent },
    body: eventBody({ event: purgeEvent, at, about: { tags } }, format),
  }));
  await inTransaction(database, async (own) => {
    if (deliveries.length > 0) await storeDeliveries(own, deliveries, at);
    await purges.remove(own, { _id: is.oneOf(rows.map(({ _id }) => _id)) });
  });
  known.wake(webhooks.map(({ id }) => id));
}
