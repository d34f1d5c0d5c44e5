import { validationError } from '#base/errors.js';
import { collections } from '#model/schema/collections.js';
import { is, matchesAny } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import type { Delivery } from '#store/stores/delivery-store.js';
import { ownRows } from '#store/write/own-rows.js';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const satisfies readonly Delivery['status'][];

const deliveries = ownRows<Delivery>(collections.deliveries);

/** Returns some keys that have deliveries which are due, except for the busy ones. The index answers it. */
export async function dueKeys(database: Database, webhook: number, busy: readonly string[]): Promise<readonly string[]> {
  const match = { webhook, status: 'pending', next: is.atMost(new Date()), key: is.noneOf(busy) };
  const pendingRows = await deliveries.find(database, {
    match,
    fields: ['key'],
    without: ['_id'],
    sort: { next: 1 },
    limit: 200,
  });
  return [...new Set(pendingRows.map(({ key }) => key))];
}

/** Most deliveries of a key that are read at once. Their bodies may be large. */
const laneLength = 5;

/** Number of failed attempts after which a delivery holds back no later ones any more. */
export const holdingAttempts = 3;

/** Returns the first deliveries of a key, in their order, which hold back later ones or are due. */
export function pendingOf(database: Database, { webhook, key }: Pick<Delivery, 'webhook' | 'key'>): Promise<readonly Delivery[]> {
  const dueMatch = matchesAny({ attempts: is.below(holdingAttempts) }, { next: is.atMost(new Date()) });
  const match = { webhook, key, status: 'pending', ...dueMatch };
  return deliveries.find(database, { match, sort: { at: 1 }, limit: laneLength });
}

/** Stores the result of an attempt, unless the delivery was removed. */
export async function recordAttempt(
  database: Database,
  _id: string,
  result: Pick<Delivery, 'status' | 'attempts' | 'answer' | 'next'>,
): Promise<void> {
  await deliveries.change(database, { _id }, { set: { ...result } });
}

/** Postpones the deliveries of a key after one that has failed until its next attempt. */
export async function postponeAfter(database: Database, { webhook, key, at }: Delivery, next: Date): Promise<void> {
  const later = { webhook, key, status: 'pending', at: is.above(at), next: is.below(next) };
  await deliveries.change(database, later, { set: { next } });
}

/** Which deliveries are listed. */
interface DeliveryFilter {
  readonly status: Delivery['status'] | null;
  /** The id of a delivery; older ones are listed. */
  readonly before: string | null;
  readonly limit: number;
}

/**
 * Returns deliveries of a webhook without their bodies, the newest first. Throws a ValidationError if there is none with the id `before`.
 */
export async function listDeliveries(
  database: Database,
  webhook: number,
  { status, before, limit }: DeliveryFilter,
): Promise<readonly Omit<Delivery, 'body'>[]> {
  const [last] = before === null ? [] : await deliveries.find(database, { match: { _id: before, webhook }, limit: 1 });
  if (before !== null && last === undefined) throw validationError('before must be the id of a delivery of this webhook');
  const match = { webhook, ...(status !== null && { status }), ...(last !== undefined && { at: is.below(last.at) }) };
  return deliveries.find(database, { match, without: ['body'], sort: { at: -1 }, limit });
}

const isLong = { isLong: true };

/** Delivers again: one delivery, or all since a time that have ended. Returns their number. */
export function replayDeliveries(
  database: Database,
  webhook: number,
  which: { readonly id: string } | { readonly since: Date; readonly status: Delivery['status'] | null },
): Promise<number> {
  const ended = is.oneOf(['delivered', 'failed']);
  const match =
    'id' in which ? { _id: which.id, webhook } : { webhook, createdAt: is.atLeast(which.since), status: which.status ?? ended };
  return deliveries.change(database, match, { set: { status: 'pending', attempts: 0, next: new Date(0) } }, isLong);
}

/**
 * Removes the oldest deliveries of a webhook that have ended, if there are more than a number. Returns whether more than that many wait
 * to be delivered; then they count as failed, so that the webhook can be enabled again, and a replay delivers them.
 */
export async function boundDeliveries(database: Database, webhook: number, most: number): Promise<boolean> {
  const beyond = { skip: most, limit: 1 };
  const [last] = await deliveries.find(database, { match: { webhook }, fields: ['at'], sort: { at: -1 }, ...beyond });
  if (last === undefined) return false;
  await deliveries.remove(database, { webhook, at: is.atMost(last.at), status: is.otherThan('pending') }, isLong);
  const pending = { webhook, status: 'pending' };
  const waiting = await deliveries.find(database, { match: pending, fields: ['key'], without: ['_id'], ...beyond });
  if (waiting.length === 0) return false;
  await deliveries.change(database, pending, { set: { status: 'failed' } }, isLong);
  return true;
}

/** Removes the deliveries of webhooks. */
export const removeDeliveries = (database: Database, webhooks: readonly number[]): Promise<void> =>
  deliveries.remove(database, { webhook: is.oneOf(webhooks) }, isLong);
