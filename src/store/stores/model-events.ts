import { isDeepStrictEqual } from 'node:util';
import { itemsOf } from '#base/values.js';
import { cacheTagOf } from '#model/schema/cache-tags.js';
import { collections } from '#model/schema/collections.js';
import type { Database, Document } from '../send/database.js';
import { is } from '../form/matches.js';
import { findStored } from '../stored.js';
import { storeDeliveries, eventBody, storePurge } from './delivery-store.js';

const [event, purgeEvent] = ['model.change', 'cache.purge'] as const;

/** The models of a transaction as they are after it, by uid; null for those that are removed. */
type Written = ReadonlyMap<string, Document | null>;

/**
 * Runs a write of models, in a transaction, and stores the event `model.change` of those that change for the webhooks that are told of
 * it, and their tags for those that are told of what caches must remove.
 */
export async function tellingModels<Result>(database: Database, written: Written, write: () => Promise<Result>): Promise<Result> {
  const match = { isEnabled: true, events: is.oneOf([event, purgeEvent]) };
  const all = await findStored(database, collections.webhooks, { match });
  if (all.length === 0) return write();
  const told = (name: string): Document[] => all.filter(({ events }) => itemsOf(events).includes(name));
  const [webhooks, purging] = [told(event), told(purgeEvent)];
  const uids = [...written.keys()];
  const stored = await findStored(database, collections.models, { match: { _id: is.oneOf(uids) } });
  const before = new Map(stored.map(({ _id, ...model }) => [String(_id), model]));
  const result = await write();
  const changed = uids.filter((uid) => !isDeepStrictEqual(before.get(uid) ?? null, plain(written.get(uid))));
  const at = new Date();
  const nameOf = (uid: string): string => {
    const { info } = (written.get(uid) ?? before.get(uid) ?? {}) as { readonly info?: Document };
    return String(info?.['singularName'] ?? uid);
  };
  const deliveries = changed.flatMap((uid) =>
    webhooks
      .filter((webhook) => isTold(webhook, uid))
      .map((webhook) => {
        const action = written.get(uid) === null ? 'delete' : before.has(uid) ? 'update' : 'create';
        const format = webhook['format'] === 'standard' ? 'standard' : 'strapi';
        return {
          webhook: Number(webhook['_id']),
          key: `model ${uid}`,
          type: event,
          body: eventBody({ event, at, about: { model: nameOf(uid), uid, action } }, format),
        };
      }),
  );
  if (deliveries.length > 0) await storeDeliveries(database, deliveries, at);
  const tags = changed.map((uid) => cacheTagOf({ singularName: nameOf(uid) }));
  if (purging.length > 0 && tags.length > 0) await storePurge(database, tags);
  return result;
}

/** Returns a model as it is stored. */
const plain = (model: Document | null | undefined): unknown => (model ? (JSON.parse(JSON.stringify(model)) as unknown) : null);

const isTold = ({ types }: Document, uid: string): boolean => !Array.isArray(types) || types.length === 0 || types.includes(uid);
