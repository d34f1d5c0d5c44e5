import { lookUp, readers } from './read-variable.js';
import type { Variables } from './read-variable.js';

/** One kind of look-up: without a fallback, a variable that is not set gives undefined. */
export interface Look<T> {
  (name: string): T | undefined;
  <F>(name: string, fallback: F): T | F;
}

/** The `env` that a function in config/* is given: `env('KEY', 'default')`, `env.int('PORT', 1337)` and so on. */
export interface Env extends Look<string> {
  readonly int: Look<number>;
  readonly float: Look<number>;
  readonly bool: Look<boolean>;
  /** Values separated by commas. */
  readonly array: Look<readonly string[]>;
  readonly json: Look<unknown>;
}

export function createEnv(variables: Variables): Env {
  const look =
    <T>(read: (name: string, value: string) => T) =>
    <F>(name: string, fallback?: F): T | F | undefined => {
      const value = lookUp(variables, name);
      return value === undefined ? fallback : read(name, value);
    };
  // Look's first signature is the second with F = undefined, which TypeScript cannot see.
  return Object.assign(look(readers.string), {
    int: look(readers.integer),
    float: look(readers.number),
    bool: look(readers.boolean),
    array: look(readers.array),
    json: look(readers.object),
  }) as Env;
}
