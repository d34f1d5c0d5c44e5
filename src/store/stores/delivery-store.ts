import { randomBytes } from 'node:crypto';
import { Timestamp } from 'mongodb';
import { validationError } from '#base/errors.js';
import type { TraceHeaders } from '#base/observe/trace-link.js';
import { collections } from '#model/schema/collections.js';
import { inReadTime, inWriteTime, translating } from '../send/calls.js';
import { commentIn, type Database, inScope } from '../send/database.js';
import { DuplicateKey } from '../send/driver-errors.js';

/** An event for a webhook that is to be stored. */
export interface NewDelivery {
  /** The id of the webhook. */
  readonly webhook: number;
  /** The `webhook-id`; a new one by default. A delivery of an id that is stored is left out. */
  readonly id?: string;
  /** What it is about. The events of a webhook with the same key are delivered in order. */
  readonly key: string;
  /** The name of the event. */
  readonly type: string;
  readonly body: string;
  /** Headers that tell the receiver of the trace of the request that has caused it, if there is one. */
  readonly trace?: TraceHeaders;
}

/** The last answer to a delivery; `status` is null if there was none. */
export interface DeliveryAnswer {
  readonly at: Date;
  readonly ms: number;
  readonly status: number | null;
  /** The beginning of the body, or why there was no answer. */
  readonly text: string;
}

/** An event for a webhook, and what has become of it. */
export interface Delivery extends Omit<NewDelivery, 'id'> {
  /** The `webhook-id` of all attempts. */
  readonly _id: string;
  /** The time of the server at which it was stored, which is the order of deliveries. */
  readonly at: Timestamp;
  readonly createdAt: Date;
  readonly status: DeliveryStatus;
  /** The number of attempts that have ended. */
  readonly attempts: number;
  /** The time of the next attempt. */
  readonly next: Date;
  readonly answer: DeliveryAnswer | null;
}

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
type DeliveryStatus = (typeof deliveryStatuses)[number];

const deliveriesOf = ({ db }: Database) => db.collection<Delivery>(collections.deliveries);

/** A time in the past: at once, whatever the clocks of the instances say. */
const atOnce = new Date(0);

/** Stores deliveries, in the transaction of the database. The server replaces the empty timestamp by its time, which only increases. */
export async function storeDeliveries(database: Database, deliveries: readonly NewDelivery[], createdAt: Date): Promise<void> {
  const documents = deliveries.map(({ id = newId(), ...delivery }): Delivery => ({
    ...{ _id: id, ...delivery, createdAt },
    ...{ at: new Timestamp(0n), status: 'pending', attempts: 0, next: atOnce, answer: null },
  }));
  const options = { ordered: deliveries.every(({ id }) => id === undefined), ...inScope(database) };
  await inWriteTime(database, () => deliveriesOf(database).insertMany(documents, options)).catch((error: unknown) => {
    if (!(error instanceof DuplicateKey)) throw error;
  });
}

const newId = (): string => `msg_${randomBytes(18).toString('base64url')}`;

/** Returns some keys that have deliveries which are due, except for the busy ones. */
export async function dueKeys(database: Database, webhook: number, busy: readonly string[]): Promise<readonly string[]> {
  const due = { webhook, status: 'pending', next: { $lte: new Date() }, key: { $nin: [...busy] } } as const;
  const options = { projection: { _id: 0, key: 1 }, sort: { next: 1 }, limit: 200, ...commentIn(database) } as const;
  const found = await inReadTime(database, () => deliveriesOf(database).find(due, options).toArray());
  return [...new Set(found.map(({ key }) => key))];
}

/** Most deliveries of a key that are read at once. Their bodies may be large. */
const laneLength = 5;

/** Number of failed attempts after which a delivery holds back no later ones any more. */
export const holdingAttempts = 3;

/** Returns the first deliveries of a key, in their order, which hold back later ones or are due. */
export function pendingOf(database: Database, { webhook, key }: Pick<Delivery, 'webhook' | 'key'>): Promise<Delivery[]> {
  const mayBeSent = [{ attempts: { $lt: holdingAttempts } }, { next: { $lte: new Date() } }];
  const match = { webhook, key, status: 'pending', $or: mayBeSent } as const;
  const options = { sort: { at: 1 }, limit: laneLength, ...commentIn(database) } as const;
  return inReadTime(database, () => deliveriesOf(database).find(match, options).toArray());
}

/** Stores the result of an attempt, unless the delivery was removed. */
export async function recordAttempt(
  database: Database,
  _id: string,
  result: Pick<Delivery, 'status' | 'attempts' | 'answer' | 'next'>,
): Promise<void> {
  await inWriteTime(database, () => deliveriesOf(database).updateOne({ _id }, { $set: { ...result } }, commentIn(database)));
}

/** Postpones the deliveries of a key after one that has failed until its next attempt. */
export async function postponeAfter(database: Database, { webhook, key, at }: Delivery, next: Date): Promise<void> {
  const later = { webhook, key, status: 'pending', at: { $gt: at }, next: { $lt: next } } as const;
  await inWriteTime(database, () => deliveriesOf(database).updateMany(later, { $set: { next } }, commentIn(database)));
}

/** Which deliveries are listed. */
interface Wanted {
  readonly status: DeliveryStatus | null;
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
  { status, before, limit }: Wanted,
): Promise<readonly Omit<Delivery, 'body'>[]> {
  const rows = deliveriesOf(database);
  const last =
    before === null ? null : await inReadTime(database, () => rows.findOne({ _id: before, webhook }, commentIn(database)));
  if (before !== null && last === null) throw validationError('before must be the id of a delivery of this webhook');
  const match = { webhook, ...(status !== null && { status }), ...(last !== null && { at: { $lt: last.at } }) };
  return inReadTime(database, () =>
    rows.find(match, { projection: { body: 0 }, sort: { at: -1 }, limit, ...commentIn(database) }).toArray(),
  );
}

/** Delivers again: one delivery, or all since a time that have ended. Returns their number. */
export async function replayDeliveries(
  database: Database,
  webhook: number,
  which: { readonly id: string } | { readonly since: Date; readonly status: DeliveryStatus | null },
): Promise<number> {
  const ended = { $in: ['delivered', 'failed'] } as const;
  const match =
    'id' in which ? { _id: which.id, webhook } : { webhook, createdAt: { $gte: which.since }, status: which.status ?? ended };
  const again = { $set: { status: 'pending', attempts: 0, next: atOnce } } as const;
  const { matchedCount } = await translating(() => deliveriesOf(database).updateMany(match, again, commentIn(database)));
  return matchedCount;
}

/**
 * Removes the oldest deliveries of a webhook that have ended, if there are more than a number. Returns whether more than that many wait
 * to be delivered; then they count as failed, so that the webhook can be enabled again, and a replay delivers them.
 */
export async function boundDeliveries(database: Database, webhook: number, most: number): Promise<boolean> {
  const rows = deliveriesOf(database);
  const newest = { sort: { at: -1 }, skip: most, projection: { at: 1 }, ...commentIn(database) } as const;
  const beyond = await inReadTime(database, () => rows.findOne({ webhook }, newest));
  if (beyond === null) return false;
  const comment = commentIn(database);
  await translating(() => rows.deleteMany({ webhook, at: { $lte: beyond.at }, status: { $ne: 'pending' } }, comment));
  const pending = { webhook, status: 'pending' } as const;
  const waiting = await translating(() => rows.countDocuments(pending, { limit: most + 1, ...comment }));
  if (waiting <= most) return false;
  await translating(() => rows.updateMany(pending, { $set: { status: 'failed' } }, comment));
  return true;
}

/** Removes the deliveries of webhooks. */
export async function removeDeliveries(database: Database, webhooks: readonly number[]): Promise<void> {
  await translating(() => deliveriesOf(database).deleteMany({ webhook: { $in: [...webhooks] } }, commentIn(database)));
}

/** An event in the words of a webhook's format. */
interface ToldEvent {
  readonly event: string;
  readonly at: Date;
  /** The singular name of the type, and further parts of the body, such as the entry. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** The bodies of events by the format of a webhook: that of Standard Webhooks, and that of Strapi v4. */
const bodies = {
  standard: ({ event, at, about }: ToldEvent) => ({ type: event, timestamp: at.toISOString(), data: about }),
  strapi: ({ event, at, about }: ToldEvent) => ({ event, createdAt: at.toISOString(), ...about }),
} as const;

export type EventFormat = keyof typeof bodies;

/** Returns the body of a delivery. */
export const eventBody = (told: ToldEvent, format: EventFormat): string => JSON.stringify(bodies[format](told));
