import { inspect } from 'node:util';
import type { Controller } from './core-controller.js';
import type { Service } from '../services/core-service.js';

/** A controller or a service. */
type Code = Controller | Service;

interface RegistryParts {
  readonly strapi: () => unknown;
  /** Functions that return what Strapi v4 generates for a content type; null if there is no such type. */
  readonly generate: {
    readonly service: (uid: string) => Service | null;
    readonly controller: (uid: string) => Controller | null;
  };
}

type Kind = keyof RegistryParts['generate'];

/**
 * The services and controllers of a project, by uid. They are objects, or functions of `{ strapi }` that are called once, on
 * first use. Content types without any have generated ones.
 */
export class CodeRegistry {
  readonly #parts: RegistryParts;
  readonly #code: Readonly<Record<Kind, Map<string, unknown>>> = { service: new Map(), controller: new Map() };
  readonly #instances: Readonly<Record<Kind, Map<string, Code>>> = { service: new Map(), controller: new Map() };

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  add(kind: Kind, uid: string, code: unknown): void {
    this.#code[kind].set(uid, code);
    this.#instances[kind].delete(uid);
  }

  /** Returns whether the project defines the service or controller. */
  has(kind: Kind, uid: string): boolean {
    return this.#code[kind].has(uid);
  }

  /** Returns the service or controller; undefined if there is none. */
  get(kind: Kind, uid: string): Code | undefined {
    const cached = this.#instances[kind].get(uid);
    if (cached !== undefined) return cached;
    const controller = this.has(kind, uid) ? this.#make(kind, uid) : this.#parts.generate[kind](uid);
    if (controller !== null) this.#instances[kind].set(uid, controller);
    return controller ?? undefined;
  }

  /** Returns the uids of the services or controllers that the project defines. */
  uids(kind: Kind): readonly string[] {
    return [...this.#code[kind].keys()];
  }

  #make(kind: Kind, uid: string): Code {
    const code = this.#code[kind].get(uid);
    const made: unknown =
      typeof code === 'function' ? (code as (input: object) => unknown)({ strapi: this.#parts.strapi() }) : code; // checked below
    if (typeof made !== 'object' || made === null)
      throw new Error(`the ${kind} ${uid} must be an object, or a function that returns one`);
    return made;
  }
}

/** Returns the rest of the uids that begin with a prefix. */
export const namesBelow = (prefix: string, uids: readonly string[]): string[] =>
  uids.filter((uid) => uid.startsWith(prefix)).map((uid) => uid.slice(prefix.length));

/**
 * Returns an object whose values are read by their names. `names` returns those that it lists. Values are read on access, not when
 * they are listed. None can be assigned.
 */
export function byName<Value>(
  read: (name: string) => Value | undefined,
  names: () => readonly string[],
): Readonly<Record<string, Value>> {
  const list = (): object => Object.fromEntries(names().map((name) => [name, read(name)]));
  const target: Record<string, Value> = {};
  // The console shows the target of a Proxy, which has no values.
  Object.defineProperty(target, inspect.custom, { value: list, configurable: true });
  return new Proxy<Record<string, Value>>(target, {
    get: (object, name) => (typeof name === 'symbol' || name in object ? Reflect.get(object, name) : read(name)) as unknown,
    has: (_, name) => names().includes(String(name)),
    ownKeys: () => [...new Set(names())],
    getOwnPropertyDescriptor: (_, name) =>
      names().includes(String(name)) ? { get: () => read(String(name)), enumerable: true, configurable: true } : undefined,
    set: refuseAssigning,
    defineProperty: refuseAssigning,
  });
}

function refuseAssigning(_: object, name: string | symbol): never {
  throw new TypeError(`${String(name)} cannot be assigned here, because this object only lists what is registered`);
}
