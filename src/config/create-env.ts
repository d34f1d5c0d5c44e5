import { lookUp, readers } from './read-variable.js';
import type { Variables } from './read-variable.js';

/** A function that reads an environment variable. Returns the fallback, or undefined, if the variable is not set. */
export interface VariableReader<T> {
  (name: string): T | undefined;
  <F>(name: string, fallback: F): T | F;
}

/** The `env` that functions in config/* receive: `env('KEY', 'default')`, `env.int('PORT', 1337)` and so on. */
export interface Env extends VariableReader<string> {
  readonly int: VariableReader<number>;
  readonly float: VariableReader<number>;
  readonly bool: VariableReader<boolean>;
  /** Values separated by commas. */
  readonly array: VariableReader<readonly string[]>;
  readonly json: VariableReader<unknown>;
  readonly date: VariableReader<Date>;
  /** Returns the value of a variable if it is among `values`, otherwise the fallback. */
  readonly oneOf: (name: string, values: readonly string[], fallback?: string) => string | undefined;
}

/** Creates an `env`. `read` converts the values by type; by default it throws for an invalid value. */
export function createEnv(variables: Variables, read: typeof readers = readers): Env {
  const look =
    <T>(readValue: (name: string, value: string) => T) =>
    <F>(name: string, fallback?: F): T | F | undefined => {
      const value = lookUp(variables, name);
      return value === undefined ? fallback : readValue(name, value);
    };
  // The first signature of VariableReader is the second with F = undefined, which TypeScript cannot infer.
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
