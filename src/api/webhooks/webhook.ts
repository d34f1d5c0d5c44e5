import { validationError } from '#base/errors.js';
import type { Document } from '#store/send/database.js';
import { isRecord, itemsOf, mapValues, only, textOrNull, type Values } from '#base/values.js';

/** The events that Strapi v4 has, `entry.draft` (the draft beside a published entry was saved), and those of stages, models, releases and caches. */
export const webhookEvents = [
  ...([
    'entry.create',
    'entry.update',
    'entry.draft',
    'entry.delete',
    'entry.publish',
    'entry.unpublish',
    'entry.stage',
  ] as const),
  ...(['media.create', 'media.update', 'media.delete', 'model.change', 'release.publish', 'cache.purge'] as const),
];
export type WebhookEvent = (typeof webhookEvents)[number];

/** `standard`: the body of Standard Webhooks. `strapi`: the body and the header of Strapi v4. */
export const webhookFormats = ['standard', 'strapi'] as const;

/** A key that signs deliveries. One that was replaced is used besides the new one until a time. */
interface Secret {
  readonly value: string;
  /** Null for the current one. */
  readonly until: Date | null;
}

/** An address that is told of events. */
export interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly isEnabled: boolean;
  /** The uids of the types whose entries and models it is told of; all if there are none. */
  readonly types: readonly string[];
  readonly format: (typeof webhookFormats)[number];
  /** The current one first. There is none if the panel or project code has made the webhook. */
  readonly secrets: readonly Secret[];
  /** The type of the role that entries are read as; null for all but private attributes. */
  readonly role: string | null;
  /** As in the query string of a request. */
  readonly populate: unknown;
  readonly fields: unknown;
  /** Why the service has disabled it; null if it has not. */
  readonly disabledBecause: string | null;
}

/** Returns the webhook of a stored document. One without a format was made by the panel. */
export const webhookOf = (document: Document): Webhook => ({
  id: Number(document['_id']),
  name: String(document['name']),
  url: String(document['url']),
  headers: isRecord(document['headers']) ? textsIn(document['headers']) : {},
  events: itemsOf(document['events']).map(String),
  isEnabled: document['isEnabled'] === true,
  types: itemsOf(document['types']).map(String),
  format: document['format'] === 'standard' ? 'standard' : 'strapi',
  secrets: only(itemsOf(document['secrets']), isSecret),
  role: textOrNull(document['role']),
  populate: parsed(document['populate']),
  fields: parsed(document['fields']),
  disabledBecause: textOrNull(document['disabledBecause']),
});

const textsIn = (values: Values): Record<string, string> => mapValues(values, String);

const isSecret = (value: unknown): value is Secret => isRecord(value) && typeof value['value'] === 'string';

/** Returns the value of JSON; undefined if there is none. */
const parsed = (json: unknown): unknown => (typeof json === 'string' ? JSON.parse(json) : undefined);

/** Returns the keys that sign a delivery at a time, the current one first. */
export const secretsAt = ({ secrets }: Webhook, time: Date): readonly string[] =>
  secrets.filter(({ until }) => until === null || until > time).map(({ value }) => value);

export const isEvent = (name: string): name is WebhookEvent => webhookEvents.some((event) => event === name);

/** Throws a ValidationError for an event that there is not. `own` are the events of project code. */
export function checkEvents(events: readonly string[], own: readonly string[] = []): void {
  const unknown = events.find((event) => !isEvent(event) && !own.includes(event));
  if (unknown !== undefined) throw validationError(`Webhook event ${unknown} is not supported`);
}

/** Returns the URL of a text; null unless it has a scheme, a host, and a port of 2 to 5 digits, if it has one. */
export function urlIn(text = ''): URL | null {
  const url = /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  return /^[^?#]*:\d([/?#]|$)/.test(text) ? null : url;
}

/** Headers that the service sets itself, or that would change how a request is read. */
const ownHeaders =
  /^(webhook-.*|x-strapi-event|host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i;

/** Most headers of a webhook. */
const mostHeaders = 50;

/** Returns what is wrong with the headers of a webhook; null if nothing is. */
export function headerProblem(headers: Readonly<Record<string, unknown>>): string | null {
  const entries = Object.entries(headers);
  if (entries.length > mostHeaders) return `headers must not have more than ${String(mostHeaders)} entries`;
  for (const [name, value] of entries) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)) return `${JSON.stringify(name)} is not the name of a header`;
    if (ownHeaders.test(name)) return `the header ${name} is set by the service`;
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]{0,4000}$/.test(value))
      return `the header ${name} must be a text of at most 4000 characters, without control characters`;
  }
  return null;
}
