import { validationError } from '../../errors.js';
import type { Document } from '../../mongo/send/database.js';
import { isPrivateHost } from '../../public-address.js';
import { isRecord } from '../../values.js';
import { array, boolean, lazy, object, string } from '../check-body.js';

/** An address that is told of events. */
export interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly isEnabled: boolean;
}

/** Returns the webhook of a stored document. */
export const webhookOf = (document: Document): Webhook => ({
  id: Number(document['_id']),
  name: String(document['name']),
  url: String(document['url']),
  headers: isRecord(document['headers']) ? textsIn(document['headers']) : {},
  events: Array.isArray(document['events']) ? document['events'].map(String) : [],
  isEnabled: document['isEnabled'] === true,
});

const textsIn = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

const events: readonly string[] = [
  ...['entry.create', 'entry.update', 'entry.delete', 'entry.publish', 'entry.unpublish'],
  ...['media.create', 'media.update', 'media.delete'],
];

const values = (isProduction: boolean) => ({
  name: string().required().max(200),
  url: string()
    .required()
    .max(2_000)
    .test('url', 'url must be a valid URL', (text) => text === '' || urlIn(text) !== null)
    .test('public', "Url is not supported because it isn't reachable over the public internet", (text) => {
      const url = urlIn(text);
      return !isProduction || url === null || !isPrivateHost(url);
    }),
  headers: lazy((given: unknown) => {
    const names = isRecord(given) ? Object.keys(given) : [];
    return object(Object.fromEntries(names.map((name) => [name, string().min(1).required()])))
      .required()
      .default(undefined);
  }),
  events: array().of(string().required()).required(),
});

/** Returns the URL of a text; null unless it has a scheme, a host, and a port of 2 to 5 digits, if it has one. */
function urlIn(text = ''): URL | null {
  const url = /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  return /^[^?#]*:\d([/?#]|$)/.test(text) ? null : url;
}

/** Returns the schema of a new webhook. In production its address must be a public one. */
export const newWebhookBody = (isProduction: boolean) => object(values(isProduction)).noUnknown();
export const changedWebhookBody = (isProduction: boolean) =>
  object({ ...values(isProduction), isEnabled: boolean() }).noUnknown();

export const isEvent = (name: string): boolean => events.includes(name);

/** Throws a ValidationError for an event that there is not. */
export function checkEvents(given: readonly string[]): void {
  const unknown = given.find((event) => !isEvent(event));
  if (unknown !== undefined) throw validationError(`Webhook event ${unknown} is not supported`);
}
