import { lookUp, readers } from './read-variable.js';
import type { Variables } from './read-variable.js';

/** One kind of look-up: without a fallback, undefined if the variable is not set. */
export interface VariableReader<T> {
  (name: string): T | undefined;
  <F>(name: string, fallback: F): T | F;
}

/** The `env` that a function in config/* is given: `env('KEY', 'default')`, `env.int('PORT', 1337)` and so on. */
export interface Env extends VariableReader<string> {
  readonly int: VariableReader<number>;
  readonly float: VariableReader<number>;
  readonly bool: VariableReader<boolean>;
  /** Values separated by commas. */
  readonly array: VariableReader<readonly string[]>;
  readonly json: VariableReader<unknown>;
  readonly date: VariableReader<Date>;
  /** A variable that is none of these values counts as not set. */
  readonly oneOf: (name: string, values: readonly string[], fallback?: string) => string | undefined;
}

/** `read`: the readers by type; by default those that throw for a wrong value. */
export function createEnv(variables: Variables, read: typeof readers = readers): Env {
  const look =
    <T>(readValue: (name: string, value: string) => T) =>
    <F>(name: string, fallback?: F): T | F | undefined => {
      const value = lookUp(variables, name);
      return value === undefined ? fallback : readValue(name, value);
    };
  // VariableReader's first signature is the second with F = undefined, which TypeScript cannot see.
  return Object.assign(look(read.string), {
    int: look(read.integer),
    float: look(read.number),
    bool: look(read.boolean),
    array: look(read.array),
    json: look(read.object),
    date: look((_name, value) => new Date(value)),
    oneOf: (name: string, values: readonly string[], fallback?: string) => {
      const value = lookUp(variables, name);
      return value !== undefined && values.includes(value) ? value : fallback;
    },
  }) as Env;
}
