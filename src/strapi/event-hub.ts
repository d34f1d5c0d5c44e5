import type { ContentContext } from '../content/content-context.js';
import type { Observer } from '../observe/observer.js';
import { hideFrom } from './flat-entries.js';
import type { LifecycleAction, LifecycleEvent, Listener } from './lifecycles.js';

/**
 * `strapi.eventHub` of Strapi v4: the events `entry.create`, `entry.update` and `entry.delete` with the payload `{ model, uid,
 * entry }`, and events that code emits. Events stay in the process. Entry events are emitted after the commit, and only if there
 * are listeners. Errors of their listeners are logged.
 */
export interface EventHub {
  /** Calls the listeners one after the other. Rejects with the error of a listener. */
  emit(name: string, ...payload: readonly unknown[]): Promise<void>;
  /** Adds a listener. Returns a function that removes it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the payload depends on the event
  on(name: string, listener: (...payload: any[]) => unknown): () => void;
  once: EventHub['on'];
  off(name: string, listener: Parameters<EventHub['on']>[1]): void;
  addListener: EventHub['on'];
  removeListener: EventHub['off'];
  removeAllListeners(): void;
  /** Adds a listener to all events. Returns a function that removes it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the payload depends on the event
  subscribe(subscriber: (name: string, ...payload: any[]) => unknown): () => void;
  unsubscribe(subscriber: Parameters<EventHub['subscribe']>[0]): void;
  destroy(): void;
}

type EventListener = Parameters<EventHub['on']>[1];
type EventSubscriber = Parameters<EventHub['subscribe']>[0];

const entryEvents: Readonly<Partial<Record<LifecycleAction, string>>> = {
  afterCreate: 'entry.create',
  afterUpdate: 'entry.update',
  afterDelete: 'entry.delete',
};

interface HubInput {
  readonly content: () => ContentContext;
  readonly observer: Observer;
}

export class ProjectEvents implements EventHub {
  readonly #input: HubInput;
  #listeners: readonly { readonly name: string; readonly listener: EventListener }[] = [];
  #subscribers: readonly EventSubscriber[] = [];

  constructor(input: HubInput) {
    this.#input = input;
  }

  readonly emit = async (name: string, ...payload: readonly unknown[]): Promise<void> => {
    for (const one of this.#listeners.filter((other) => other.name === name)) await one.listener(...payload);
    for (const subscriber of this.#subscribers) await subscriber(name, ...payload);
  };

  readonly on = (name: string, listener: EventListener): (() => void) => {
    this.#listeners = [...this.#listeners, { name, listener }];
    return () => {
      this.off(name, listener);
    };
  };

  readonly once = (name: string, listener: EventListener): (() => void) => {
    const end = this.on(name, (...payload) => {
      end();
      return listener(...payload);
    });
    return end;
  };

  readonly off = (name: string, listener: EventListener): void => {
    const index = this.#listeners.findIndex((one) => one.name === name && one.listener === listener);
    this.#listeners = this.#listeners.filter((_one, place) => place !== index);
  };

  readonly subscribe = (subscriber: EventSubscriber): (() => void) => {
    this.#subscribers = [...this.#subscribers, subscriber];
    return () => {
      this.unsubscribe(subscriber);
    };
  };

  readonly unsubscribe = (subscriber: EventSubscriber): void => {
    this.#subscribers = this.#subscribers.filter((other) => other !== subscriber);
  };

  readonly destroy = (): void => {
    [this.#listeners, this.#subscribers] = [[], []];
  };

  readonly addListener = this.on;
  readonly removeListener = this.off;
  readonly removeAllListeners = this.destroy;

  /** Returns the listener of lifecycles that emits the event of an entry; null if nobody hears it. */
  readonly listenerOf = (action: LifecycleAction): Listener | null => {
    const name = entryEvents[action];
    const isHeard = this.#subscribers.length > 0 || this.#listeners.some((one) => one.name === name);
    return name !== undefined && isHeard ? (event) => this.#announce(name, event) : null;
  };

  async #announce(name: string, { model, result }: LifecycleEvent): Promise<void> {
    const { content, observer } = this.#input;
    const { registry } = content().bind;
    const type = registry.types.get(model.uid);
    const entry: unknown = type === undefined ? result : hideFrom(null, result, type, registry);
    await this.emit(name, { model: model.modelName, uid: model.uid, entry }).catch((error: unknown) => {
      observer.observe({ kind: 'code failed', text: `a listener for ${name} failed`, err: error });
    });
  }
}
