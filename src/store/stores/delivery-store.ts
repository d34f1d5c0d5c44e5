import { randomBytes } from 'node:crypto';
import { Timestamp } from 'mongodb';
import type { TraceHeaders } from '#base/observe/trace-link.js';
import { collections } from '#model/schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
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
interface DeliveryAnswer {
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
  readonly status: 'pending' | 'delivered' | 'failed';
  /** The number of attempts that have ended. */
  readonly attempts: number;
  /** The time of the next attempt. */
  readonly next: Date;
  readonly answer: DeliveryAnswer | null;
}

/** A time in the past: at once, whatever the clocks of the instances say. */
const atOnce = new Date(0);

/** Stores deliveries, in the transaction of the database. The server replaces the empty timestamp by its time, which only increases. */
export async function storeDeliveries(database: Database, deliveries: readonly NewDelivery[], createdAt: Date): Promise<void> {
  const documents = deliveries.map(({ id = newId(), ...delivery }): Delivery => ({
    ...{ _id: id, ...delivery, createdAt },
    ...{ at: new Timestamp(0n), status: 'pending', attempts: 0, next: atOnce, answer: null },
  }));
  const options = { ordered: deliveries.every(({ id }) => id === undefined), ...inScope(database) };
  const rows = database.db.collection<Delivery>(collections.deliveries);
  await inWriteTime(database, () => rows.insertMany(documents, options)).catch((error: unknown) => {
    if (!(error instanceof DuplicateKey)) throw error;
  });
}

const newId = (): string => `msg_${randomBytes(18).toString('base64url')}`;

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

/** Returns the body of a delivery. */
export const eventBody = (event: ToldEvent, format: keyof typeof bodies): string => JSON.stringify(bodies[format](event));

/** Stores the tags of answers that a write has made stale, in the transaction of the database, until webhooks are told of them. */
export async function storePurge(database: Database, tags: readonly string[]): Promise<void> {
  const rows = database.db.collection(collections.purges);
  await inWriteTime(database, () => rows.insertOne({ tags, at: new Date() }, inScope(database)));
}
