import { memoize } from '#base/caches.js';
import { Alarm } from '#base/limits/timers.js';
import type { ChangeBus } from '#store/changes/changes.js';
import type { EntryEvent } from '#store/changes/entry-events.js';
import { collections } from '#model/schema/collections.js';
import { uploadFile } from '#model/schema/content-type.js';
import type { Bell } from './bell.js';
import type { Webhook, WebhookEvent } from './webhook.js';

/** Returns the events that a write to an entry of a type is. */
export const eventsOf = (kind: EntryEvent['kind'], uid: string): readonly WebhookEvent[] =>
  kind === 'any' ? [] : kind === 'draft' ? ['entry.draft'] : [`${uid === uploadFile ? 'media' : 'entry'}.${kind}`];

/** The events that an update may be besides. Only the entry before it says which. */
export const publications: readonly WebhookEvent[] = ['entry.publish', 'entry.unpublish'];

/** Returns the publication or its end that an update is, if it is one. */
export const publicationIn = (event: EntryEvent): readonly WebhookEvent[] =>
  publications.filter((name) => 'action' in event && name === `entry.${event.action}`);

/** Types of the service itself, which a webhook for all types is not told of, as in Strapi v4. */
const ownTypes = /^(admin::.*|plugin::(i18n\.locale|upload\.folder|users-permissions\.(role|permission)))$/;

/** Returns the webhooks that are told of an event of a type. Events of files and of project code belong to no type. */
export const receiversAmong = (webhooks: readonly Webhook[], event: string, uid: string): readonly Webhook[] =>
  webhooks.filter(({ events, types }) => events.includes(event) && (!event.startsWith('entry.') || isOf(types, uid)));

const isOf = (types: readonly string[], uid: string): boolean => (types.length === 0 ? !ownTypes.test(uid) : types.includes(uid));

/** Milliseconds before webhooks that could not be read are read again. */
const readAgainAfter = 2_000;

type Read = () => Promise<readonly Webhook[]>;

/** The enabled webhooks, as this instance knows them. They are read again after each change. */
export class EnabledWebhooks {
  #enabled: readonly Webhook[] = [];
  #reading: Promise<void> = Promise.resolve();
  #listeners: readonly (() => void)[] = [];
  #isClosed = false;
  /** Wake the deliveries of webhooks, if this instance delivers. */
  readonly bells = new Map<number, Bell>();

  /** Reads the webhooks, and follows their changes. */
  async open(changes: ChangeBus, read: Read): Promise<void> {
    changes.onChange([collections.webhooks], () => this.#readAgain(read));
    this.#enabled = (await read()).filter(({ isEnabled }) => isEnabled);
  }

  close(): void {
    this.#isClosed = true;
    this.#enabled = [];
  }

  get enabled(): readonly Webhook[] {
    return this.#enabled;
  }

  /** Returns the enabled webhooks that are told of an event of a type. */
  receiversOf(event: string, uid: string): readonly Webhook[] {
    return receiversAmong(this.#enabled, event, uid);
  }

  hasReceivers(events: readonly WebhookEvent[], uid: string): boolean {
    return this.#enabled.length > 0 && events.some((event) => this.receiversOf(event, uid).length > 0);
  }

  /** Says that webhooks have deliveries which are due. */
  wake(webhooks: readonly number[]): void {
    for (const id of webhooks) this.bells.get(id)?.ring();
  }

  /** Calls a listener after each change of the webhooks. */
  onChange(listener: () => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Resolves when the changes are known that this instance has made. */
  settled(): Promise<void> {
    return this.#reading;
  }

  #readAgain(read: Read): void {
    this.#reading = this.#reading.then(async () => {
      if (this.#isClosed) return;
      try {
        const enabled = (await read()).filter(({ isEnabled }) => isEnabled);
        if (this.#isClosed) return;
        this.#enabled = enabled;
      } catch {
        new Alarm(() => this.#readAgain(read), { ref: false }).set(readAgainAfter);
        return;
      }
      for (const listener of this.#listeners) listener();
    });
  }
}

/** Returns the webhooks that an instance knows, by its bus of changes. */
export const enabledWebhooks = memoize((changes: ChangeBus) => (void changes, new EnabledWebhooks()));
