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

const refuse = (name: string, wanted: string, value: string): never => {
  throw new ConfigError(`environment variable ${name}: must be ${wanted}, not ${JSON.stringify(value)}`, { variable: name });
};
