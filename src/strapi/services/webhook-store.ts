import { validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { decodeId, isRecord, type Values } from '#base/values.js';
import { checkEvents, headerProblem, isEvent, urlIn, type Webhook, webhookEvents } from '#api/webhooks/webhook.js';
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks, type WebhookValues } from '#api/webhooks/write-webhooks.js';
import { refuseMissing } from '../load/unsupported-code.js';
import type { QueryEngine } from './query-engine.js';
import { rowReads } from './row-query.js';

/** A webhook in the form of Strapi v4. */
export interface CodeWebhook {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly isEnabled: boolean;
}

/** `strapi.webhookStore` of Strapi v4: the webhooks that the panel and the admin API show. */
export interface WebhookStore {
  /** Names of events that webhooks may have, by keys that code chooses. */
  readonly allowedEvents: Map<string, string>;
  addAllowedEvent(key: string, value: string): void;
  removeAllowedEvent(key: string): void;
  listAllowedEvents(): string[];
  getAllowedEvent(key: string): string | undefined;
  findWebhooks(): Promise<readonly CodeWebhook[]>;
  findWebhook(id: number | string): Promise<CodeWebhook | null>;
  createWebhook(data: Values): Promise<CodeWebhook>;
  updateWebhook(id: number | string, data: Values): Promise<CodeWebhook | null>;
  deleteWebhook(id: number | string): Promise<CodeWebhook | null>;
}

/** Returns the names of the events that webhooks may have before code adds some, as Strapi v4 names them: `ENTRY_CREATE`. */
export const firstEvents = (): Map<string, string> =>
  new Map(webhookEvents.map((name) => [name.toUpperCase().replace('.', '_'), name]));

/** Returns the names that code has added. */
export const addedEvents = (allowed: ReadonlyMap<string, string>): readonly string[] =>
  [...allowed.values()].filter((name) => !isEvent(name));

/** Creates `strapi.webhookStore`. Its changes belong to the transaction of the code. */
export function createWebhookStore(content: () => ContentContext, allowed: Map<string, string>): WebhookStore {
  const find = async (id: unknown): Promise<Webhook | null> =>
    (await listWebhooks(content().store)).find((webhook) => webhook.id === decodeId(id)) ?? null;
  const values = (data: Values): WebhookValues => valuesIn(data, addedEvents(allowed));
  const ifThere = async (id: unknown, work: (found: number) => Promise<Webhook>): Promise<CodeWebhook | null> => {
    const webhook = await find(id);
    return webhook === null ? null : shown(await work(webhook.id));
  };
  return {
    allowedEvents: allowed,
    addAllowedEvent: (key, value) => void allowed.set(key, value),
    removeAllowedEvent: (key) => void allowed.delete(key),
    listAllowedEvents: () => [...allowed.keys()],
    getAllowedEvent: (key) => allowed.get(key),
    findWebhooks: async () => (await listWebhooks(content().store)).map(shown),
    findWebhook: (id) => find(id).then((webhook) => webhook && shown(webhook)),
    createWebhook: async (data) => shown(await createWebhook({ headers: {}, ...values(data), isEnabled: true }, content().store)),
    updateWebhook: (id, data) => ifThere(id, (found) => changeWebhook(found, values(data), content().store)),
    deleteWebhook: (id) => ifThere(id, (found) => deleteWebhook(found, content().store)),
  };
}

const shown = ({ id, name, url, headers, events, isEnabled }: Webhook): CodeWebhook => ({
  ...{ id, name, url, headers, events, isEnabled },
});

/** Returns the values of a webhook of code. Throws a ValidationError that names a wrong one. */
function valuesIn({ name, url, headers = {}, events = [], isEnabled }: Values, added: readonly string[]): WebhookValues {
  if (typeof name !== 'string' || name === '') throw validationError('name must be a text');
  if (typeof url !== 'string' || urlIn(url) === null) throw validationError('url must be a valid URL');
  const problem = isRecord(headers) ? headerProblem(headers) : 'headers must be an object';
  if (problem !== null) throw validationError(problem);
  const names = Array.isArray(events) ? events.map(String) : [];
  checkEvents(names, added);
  const sent = headers as Webhook['headers']; // checked above
  return { name, url, headers: sent, events: names, ...(typeof isEnabled === 'boolean' && { isEnabled }) };
}

const attributes = ['id', 'name', 'url', 'headers', 'events', 'enabled'];

/** Returns `strapi.db.query('webhook')`, which reads webhooks. Its other members throw. */
export function webhookQuery(content: () => ContentContext): QueryEngine {
  const rows = async (): Promise<readonly Values[]> =>
    (await listWebhooks(content().store)).map(shown).map(({ isEnabled, ...row }) => ({ ...row, enabled: isEnabled }));
  return refuseMissing(rowReads('webhook', attributes, rows), 'strapi.db.query(webhook)') as unknown as QueryEngine; // other members throw
}
