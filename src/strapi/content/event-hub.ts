import { type ContentContext, withAccess } from '#content/content-context.js';
import type { EntryEvent, Subscriber } from '#store/changes/entry-events.js';
import { afterCommit } from '#store/send/transaction.js';
import type { Observer } from '#base/observe/observer.js';
import { uploadFile } from '#model/schema/content-type.js';
import { seenEntry } from '#api/webhooks/event-body.js';
import { eventsOf, publicationIn, publications } from '#api/webhooks/enabled-webhooks.js';
import { isEvent, type WebhookEvent } from '#api/webhooks/webhook.js';
import { hideFrom } from './flat-entries.js';
import type { LifecycleAction, Listener } from './lifecycle-events.js';
import { fullAccess } from '#model/query/access.js';

/**
 * `strapi.eventHub` of Strapi v4: the events `entry.create`, `entry.update` and `entry.delete` with the payload `{ model, uid, entry }`,
 * and events that code emits. Events of code are told to webhooks too. Entry events are emitted after the commit, and only if there are
 * listeners. Errors of their listeners are logged.
 */
export class EventHub {
  /** The listeners of a name; those of null hear all events. */
  #listeners: readonly { readonly name: string | null; readonly listener: Parameters<EventHub['on']>[1] }[] = [];

  readonly #tellOthers: (name: string, payload: unknown) => Promise<void>;

  /** `tellOthers` is called with the events of code, and with what they are about. */
  constructor(tellOthers: (name: string, payload: unknown) => Promise<void> = () => Promise.resolve()) {
    this.#tellOthers = tellOthers;
  }

  /** Calls the listeners one after the other. Rejects with the error of a listener. */
  readonly emit = async (name: string, ...payload: readonly unknown[]): Promise<void> => {
    if (!isEvent(name)) await this.#tellOthers(name, payload[0]);
    for (const one of this.#listeners.filter((other) => other.name === name)) await one.listener(...payload);
    for (const one of this.#listeners.filter((other) => other.name === null)) await one.listener(name, ...payload);
  };

  /** Adds a listener. Returns a function that removes it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the payload depends on the event
  readonly on = (name: string | null, listener: (...payload: any[]) => unknown): (() => void) => {
    this.#listeners = [...this.#listeners, { name, listener }];
    return () => {
      this.off(name, listener);
    };
  };

  readonly once = (name: string, listener: Parameters<EventHub['on']>[1]): (() => void) => {
    const end = this.on(name, (...payload) => {
      end();
      return listener(...payload);
    });
    return end;
  };

  readonly off = (name: string | null, listener: Parameters<EventHub['on']>[1]): void => {
    const index = this.#listeners.findIndex((one) => one.name === name && one.listener === listener);
    this.#listeners = this.#listeners.filter((_one, place) => place !== index);
  };

  /** Adds a listener to all events, which is called with their names. Returns a function that removes it. */
  readonly subscribe = (subscriber: Parameters<EventHub['on']>[1]): (() => void) => this.on(null, subscriber);

  readonly unsubscribe = (subscriber: Parameters<EventHub['on']>[1]): void => {
    this.off(null, subscriber);
  };

  readonly destroy = (): void => {
    this.#listeners = [];
  };

  readonly addListener = this.on;
  readonly removeListener = this.off;
  readonly removeAllListeners = this.destroy;

  /** Returns whether there are listeners of an event. */
  readonly hears = (name: string): boolean => this.#listeners.some((one) => one.name === null || one.name === name);
}

const entryEvents: Readonly<Partial<Record<LifecycleAction, string>>> = {
  afterCreate: 'entry.create',
  afterUpdate: 'entry.update',
  afterDelete: 'entry.delete',
};

/** Returns the function that finds the listener of a lifecycle which emits the event of an entry; null if nobody hears it. */
export const announceTo =
  (hub: EventHub, parts: HubParts) =>
  (action: LifecycleAction): Listener | null => {
    const name = entryEvents[action];
    if (name === undefined || !hub.hears(name)) return null;
    return ({ model, result }) => emitEntry(hub, { name, uid: model.uid, entry: result }, parts);
  };

/** Returns the function that emits the deletion of entries which code has deleted together; null if nobody hears it. */
export const announceDeletesTo =
  (hub: EventHub, parts: HubParts) =>
  (uid: string): ((entries: readonly object[]) => Promise<void>) | null => {
    if (!hub.hears('entry.delete')) return null;
    const emit = async (entries: readonly object[]): Promise<void> => {
      for (const entry of entries) await emitEntry(hub, { name: 'entry.delete', uid, entry }, parts);
    };
    return (entries) => afterCommit(parts.content().store.database, () => emit(entries));
  };

interface EmittedEntry {
  readonly name: string;
  readonly uid: string;
  readonly entry: unknown;
}

async function emitEntry(hub: EventHub, { name, uid, entry }: EmittedEntry, parts: HubParts): Promise<void> {
  const { registry } = parts.content().bind;
  const type = registry.types.get(uid);
  const shown = type === undefined ? entry : hideFrom(null, entry, type, registry);
  await emitSafely(hub, name, { model: type?.singularName, uid, entry: shown }, parts);
}

interface HubParts {
  readonly content: () => ContentContext;
  readonly observer: Observer;
}

/** Returns the subscribers that emit what no lifecycle tells: events of files, and publications, which need the entry before. */
export function hubSubscribers(hub: EventHub, parts: HubParts): readonly Subscriber[] {
  const emit = emitter(hub, parts);
  return [
    {
      subscribesTo: (kind, { uid }) => uid === uploadFile && eventsOf(kind, uid).some(hub.hears),
      after: (event) => emit(event, eventsOf(event.kind, uploadFile)),
    },
    {
      subscribesTo: (kind, { draftAndPublish }) => kind === 'update' && draftAndPublish && publications.some(hub.hears),
      needsBefore: true,
      after: (event) => emit(event, publicationIn(event)),
    },
  ];
}

const emitter =
  (hub: EventHub, parts: HubParts) =>
  async (event: EntryEvent, names: readonly WebhookEvent[]): Promise<void> => {
    if (event.kind === 'any' || names.length === 0) return;
    const { type } = event;
    const seen = await seenEntry(event, { populate: undefined, fields: undefined }, withAccess(parts.content(), fullAccess));
    const entry = seen?.entry;
    const payload = type.uid === uploadFile ? { media: entry } : { model: type.singularName, uid: type.uid, entry };
    for (const name of names) await emitSafely(hub, name, payload, parts);
  };

const emitSafely = (hub: EventHub, name: string, payload: object, { observer }: HubParts): Promise<void> =>
  hub.emit(name, payload).catch((err: unknown) => {
    observer.observe({ kind: 'code failed', text: `a listener for ${name} failed`, err });
  });
