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
  if (purging.length > 0 && changed.length > 0) {
    const types = [...changed.filter(isType).map(nameOf), ...(await namesUsing(changed, database))];
    const tags = types.map((singularName) => cacheTagOf({ singularName }));
    if (tags.length > 0) await storePurge(database, [...new Set(tags)]);
  }
  return result;
}

const isType = (uid: string): boolean => uid.includes('::');

/** Returns the names of the types that have changed components, also in other components. */
async function namesUsing(changed: readonly string[], database: Database): Promise<readonly string[]> {
  const parts = new Set(changed.filter((uid) => !isType(uid)));
  if (parts.size === 0) return [];
  const models = (await findStored(database, collections.models, {})) as readonly (Document & StoredModel)[]; // checked when stored
  const uses = ({ attributes = {} }: StoredModel): boolean =>
    Object.values(attributes).some(({ component, components }) =>
      [component, ...itemsOf(components)].some((uid) => parts.has(String(uid))),
    );
  for (let size = 0; size < parts.size;) {
    size = parts.size;
    for (const model of models) if (!isType(model._id) && uses(model)) parts.add(model._id);
  }
  return models.filter((model) => isType(model._id) && uses(model)).map(({ _id, info }) => info?.singularName ?? _id);
}

interface StoredModel {
  readonly _id: string;
  readonly info?: { readonly singularName?: string };
  readonly attributes?: Readonly<Record<string, { readonly component?: unknown; readonly components?: unknown }>>;
}

/** Returns a model as it is stored. */
const plain = (model: Document | null | undefined): unknown => (model ? (JSON.parse(JSON.stringify(model)) as unknown) : null);

const isTold = ({ types }: Document, uid: string): boolean => !Array.isArray(types) || types.length === 0 || types.includes(uid);
