import type { Document } from '../../mongo/send/database.js';
import { isRecord } from '../../values.js';

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
