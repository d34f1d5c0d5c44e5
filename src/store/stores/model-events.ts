import { isDeepStrictEqual } from 'node:util';
import { collections } from '#model/schema/collections.js';
import type { Database, Document } from '../send/database.js';
import { is } from '../form/matches.js';
import { findStored } from '../stored.js';
import { storeDeliveries, eventBody } from './delivery-store.js';

const event = 'model.change';

/** The models of a transaction as they are after it, by uid; null for those that are removed. */
type Written = ReadonlyMap<string, Document | null>;

/**
 * Runs a write of models, in a transaction, and stores the event `model.change` of those that change for the webhooks that are told of it.
 */
export async function tellingModels<Result>(database: Database, written: Written, write: () => Promise<Result>): Promise<Result> {
  const webhooks = await findStored(database, collections.webhooks, { match: { isEnabled: true, events: event } });
  if (webhooks.length === 0) return write();
  const uids = [...written.keys()];
  const stored = await findStored(database, collections.models, { match: { _id: is.oneOf(uids) } });
  const before = new Map(stored.map(({ _id, ...model }) => [String(_id), model]));
  const result = await write();
  const changed = uids.filter((uid) => !isDeepStrictEqual(before.get(uid) ?? null, plain(written.get(uid))));
  const at = new Date();
  const deliveries = changed.flatMap((uid) =>
    webhooks
      .filter((webhook) => isTold(webhook, uid))
      .map((webhook) => {
        const { info } = (written.get(uid) ?? before.get(uid) ?? {}) as { readonly info?: Document };
        const model = String(info?.['singularName'] ?? uid);
        const about = { model, uid, action: written.get(uid) === null ? 'delete' : before.has(uid) ? 'update' : 'create' };
        const format = webhook['format'] === 'standard' ? 'standard' : 'strapi';
        return {
          webhook: Number(webhook['_id']),
          key: `model ${uid}`,
          type: event,
          body: eventBody({ event, at, about }, format),
        };
      }),
  );
  if (deliveries.length > 0) await storeDeliveries(database, deliveries, at);
  return result;
}

/** Returns a model as it is stored. */
const plain = (model: Document | null | undefined): unknown => (model ? (JSON.parse(JSON.stringify(model)) as unknown) : null);

const isTold = ({ types }: Document, uid: string): boolean => !Array.isArray(types) || types.length === 0 || types.includes(uid);
