import type { Jobs } from '#base/jobs.js';
import type { Store } from '#store/store.js';
import type { Delivery } from '#store/stores/delivery-store.js';
import type { OutgoingCall } from '#base/observe/trace-link.js';
import type { Bell } from './bell.js';
import { boundDeliveries, dueKeys, holdingAttempts, pendingOf, postponeAfter, recordAttempt } from './deliveries.js';
import type { EnabledWebhooks } from './enabled-webhooks.js';
import { sendWebhook } from './send.js';
import { signatureHeaders } from './sign.js';
import { secretsAt, type Webhook } from './webhook.js';
import { changeWebhook } from './write-webhooks.js';
import { messageOf } from '#base/errors.js';

/** What deliveries need of the service. */
export interface DeliveryParts {
  readonly store: Store;
  readonly observer: Jobs['observer'];
  readonly webhooks: EnabledWebhooks;
  /** Seconds until each further attempt. */
  readonly retries: readonly number[];
  readonly allowsPrivate: boolean;
}

/** Most deliveries of a webhook that are under way, so that a slow one holds back no other. */
const atOnce = 8;

/** Milliseconds between two looks for deliveries that other instances have stored, or that are due again. */
const pace = 1_000;

/** Milliseconds between two looks for more deliveries than are kept. */
const boundPace = 60_000;

/** Most deliveries that are kept of a webhook, and most that may wait. */
const maxDeliveries = 100_000;

/** Delivers the events of one webhook until the signal aborts. */
export async function serveWebhook(id: number, bell: Bell, parts: DeliveryParts, ends: AbortSignal): Promise<void> {
  const lanes = new Map<string, Promise<void>>();
  const run = (key: string): Promise<void> =>
    deliverLane({ webhook: id, key }, parts, ends)
      .then(bell.ring, (err: unknown) => void observe(parts, err))
      .finally(() => lanes.delete(key));
  const look = (): Promise<readonly string[]> =>
    dueKeys(parts.store.database, id, [...lanes.keys()]).catch((err: unknown) => observe(parts, err));
  for (let bounded = performance.now(); !ends.aborted;) {
    if (performance.now() - bounded > boundPace) {
      bounded = performance.now();
      await bound(id, parts).catch((err: unknown) => observe(parts, err));
    }
    const keys = lanes.size < atOnce ? await look() : [];
    for (const key of keys.slice(0, atOnce - lanes.size)) lanes.set(key, run(key));
    await bell.wait(pace, ends);
  }
  await Promise.all(lanes.values());
}

const observe = ({ observer }: DeliveryParts, err: unknown): readonly never[] => {
  observer.observe({ kind: 'failed', work: 'webhook delivery', err });
  return [];
};

/**
 * Delivers the next events of one entry, one after the other. One that fails holds back the later ones until it has failed three
 * times.
 */
async function deliverLane(lane: Pick<Delivery, 'webhook' | 'key'>, parts: DeliveryParts, ends: AbortSignal): Promise<void> {
  for (const delivery of await pendingOf(parts.store.database, lane)) {
    const webhook = parts.webhooks.enabled.find(({ id }) => id === lane.webhook);
    if (ends.aborted || webhook === undefined) return;
    const isHolding = delivery.attempts < holdingAttempts;
    if (delivery.next > new Date()) return postponeAfter(parts.store.database, delivery, delivery.next);
    const result = await attempt(delivery, webhook, parts, ends);
    if (result === null) return;
    await recordAttempt(parts.store.database, delivery._id, result);
    if (result.answer.status === 410) return disable(webhook, 'its receiver has answered 410 Gone', parts);
    if (isHolding && result.status === 'pending' && result.attempts < holdingAttempts)
      return postponeAfter(parts.store.database, delivery, result.next);
  }
}

interface Result extends Pick<Delivery, 'status' | 'attempts' | 'next'> {
  readonly answer: NonNullable<Delivery['answer']>;
}

/** Sends a delivery once. Returns what becomes of it; null if the service stops meanwhile. */
async function attempt(delivery: Delivery, webhook: Webhook, parts: DeliveryParts, ends: AbortSignal): Promise<Result | null> {
  const at = new Date();
  const begun = performance.now();
  const { allowsPrivate } = parts;
  const { headers, ...request } = requestOf(delivery, webhook, at);
  const call: OutgoingCall = { method: 'POST', url: webhook.url, trace: delivery.trace ?? null, link: {} };
  parts.observer.observe({ kind: 'call begun', call });
  const sent = { ...request, headers: { ...headers, ...call.link.headers }, allowsPrivate, ends };
  const { retryAfter, ...answered } = await sendWebhook(sent).catch((error: unknown) => ({
    status: null,
    text: messageOf(error),
    retryAfter: null,
  }));
  parts.observer.observe({ kind: 'call ended', call, status: answered.status });
  if (ends.aborted && answered.status === null) return null;
  const ms = Math.round(performance.now() - begun);
  const result = resultOf(
    delivery,
    { at, ms, ...answered },
    { retries: parts.retries, requestedDelay: requestedDelay(retryAfter, new Date()) },
  );
  parts.observer.observe({ kind: 'webhook attempted', webhook: webhook.id, result: result.status, ms, status: answered.status });
  return result;
}

function requestOf({ _id, type, body }: Delivery, webhook: Webhook, at: Date) {
  const timestamp = Math.floor(at.getTime() / 1_000);
  const signed = signatureHeaders({ id: _id, timestamp, body }, secretsAt(webhook, at));
  const event = webhook.format === 'strapi' ? { 'X-Strapi-Event': type } : {};
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Mangrove', ...webhook.headers, ...event, ...signed };
  return { url: webhook.url, headers, body };
}

/** Longest wait, in milliseconds, that a receiver can ask for. */
const maxDelay = 3_600_000;

/** Returns the milliseconds that a receiver asks to wait, by a number of seconds or a date; 0 if it asks for nothing. */
export function requestedDelay(retryAfter: string | null, now: Date): number {
  const text = retryAfter?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), maxDelay);
}

interface Waits {
  readonly retries: DeliveryParts['retries'];
  /** Milliseconds that the receiver asks for. */
  readonly requestedDelay: number;
}

/** Returns what becomes of a delivery after an answer. Each wait is up to a fifth longer, by chance, and as long as the receiver asks. */
function resultOf({ attempts, next }: Delivery, answer: Result['answer'], { retries, requestedDelay }: Waits): Result {
  const ended = { attempts: attempts + 1, answer };
  const status = answer.status ?? 0;
  if (status >= 200 && status < 300) return { ...ended, status: 'delivered', next };
  const seconds = retries[attempts];
  if (seconds === undefined || status === 410) return { ...ended, status: 'failed', next };
  const wait = Math.max(seconds * 1_000 * (1 + Math.random() / 5), requestedDelay);
  return { ...ended, status: 'pending', next: new Date(answer.at.getTime() + answer.ms + wait) };
}

/** Removes old deliveries of a webhook, and disables it if too many wait, so that its deliveries do not fill the database. */
async function bound(id: number, parts: DeliveryParts): Promise<void> {
  const webhook = parts.webhooks.enabled.find((one) => one.id === id);
  const areTooMany = await boundDeliveries(parts.store.database, id, maxDeliveries);
  if (areTooMany && webhook !== undefined)
    await disable(webhook, `more than ${String(maxDeliveries)} events could not be delivered`, parts);
}

/** Disables a webhook, and says why. */
async function disable({ id, name }: Webhook, disabledBecause: string, { store, observer }: DeliveryParts): Promise<void> {
  await changeWebhook(id, { isEnabled: false, disabledBecause }, store);
  observer.observe({ kind: 'warned', topic: 'webhooks', text: `the webhook ${name} is disabled: ${disabledBecause}` });
}
