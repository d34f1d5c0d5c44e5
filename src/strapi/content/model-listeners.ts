import type { LifecycleAction, Listener } from './lifecycle-events.js';

/** The listeners of models, `lifecycles` of `strapi.contentType(uid)`, which code may change at any time. */
export class ModelListeners {
  readonly #listeners = new Map<string, object>();
  readonly #changed: (uid: string) => void;

  /** `changed` is called with the uid of the model after each change. */
  constructor(changed: (uid: string) => void) {
    this.#changed = changed;
  }

  /** Returns the listeners of a model by lifecycle, as an object that code may change. */
  readonly of = (uid: string): object => this.#listeners.get(uid) ?? this.#keep(uid, {});

  /** Replaces the listeners of a model. */
  readonly set = (uid: string, listeners: object): void => {
    this.#keep(uid, listeners);
    this.#changed(uid);
  };

  /** Returns the listener of a lifecycle with the object that it is called on; nothing if there is none. */
  pairs(uid: string, action: LifecycleAction): readonly (readonly [object, Listener])[] {
    const listeners = this.#listeners.get(uid);
    const listener: unknown = listeners && Reflect.get(listeners, action);
    return listeners !== undefined && typeof listener === 'function' ? [[listeners, listener as Listener]] : []; // the form of lifecycles
  }

  clear(): void {
    this.#listeners.clear();
  }

  #keep(uid: string, listeners: object): object {
    const kept = tellingChanges(listeners, () => this.#changed(uid));
    this.#listeners.set(uid, kept);
    return kept;
  }
}

/** Returns an object that calls a function after each change of its members. */
const tellingChanges = (target: object, changed: () => void): object =>
  new Proxy(target, {
    defineProperty: (object, name, descriptor) => {
      const isDone = Reflect.defineProperty(object, name, descriptor); // assignments too
      changed();
      return isDone;
    },
    deleteProperty: (object, name) => {
      const isDone = Reflect.deleteProperty(object, name);
      changed();
      return isDone;
    },
  });
