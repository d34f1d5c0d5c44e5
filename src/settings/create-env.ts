import { ConfigError } from './setting.js';

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

type Reader = (name: string, value: string) => unknown;

/** Functions that convert environment variables, by JSON type. They throw a ConfigError that names the variable. */
export const readers = {
  string: (_name: string, value: string): string => value,
  integer: (name: string, value: string): number =>
    /^[+-]?\d+$/.test(value) ? Number(value) : refuse(name, 'a whole number', value),
  number: (name: string, value: string): number =>
    Number.isFinite(Number(value)) ? Number(value) : refuse(name, 'a number', value),
  boolean: (name: string, value: string): boolean => words.get(value.toLowerCase()) ?? refuse(name, 'true or false', value),
  array: (_name: string, value: string): readonly string[] =>
    value
      .replace(/^\[(.*)\]$/s, '$1')
      .split(',')
      .map((item) => item.trim().replace(/^"(.*)"$/, '$1')),
  object: (name: string, value: string): unknown => {
    try {
      return JSON.parse(value);
    } catch {
      return refuse(name, 'JSON', value);
    }
  },
} satisfies Record<string, Reader>;

/**
 * The same functions as lenient as Strapi's. An invalid number is NaN, an invalid boolean is false, and invalid JSON is
 * undefined.
 */
export const lenientReaders: typeof readers = {
  ...readers,
  integer: (_name, value) => Number.parseInt(value, 10),
  number: (_name, value) => Number.parseFloat(value),
  boolean: (_name, value) => words.get(value.toLowerCase()) ?? false,
  object: (_name, value) => {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  },
};

/** Returns the trimmed value of a variable; undefined if it is not set or empty. */
export const lookUp = (variables: Variables, name: string): string | undefined => variables[name]?.trim() || undefined;

const words = new Map([
  ...['true', '1', 'yes', 'on', 't'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', 'f'].map((word) => [word, false] as const),
]);

const refuse = (name: string, expectedType: string, value: string): never => {
  throw new ConfigError(`environment variable ${name}: must be ${expectedType}, not ${JSON.stringify(value)}`, {
    variable: name,
  });
};

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
