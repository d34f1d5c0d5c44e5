import { isRecord, type Values } from '#base/values.js';

/** The translation of a key of a Strapi v4 configuration. */
export interface Translation {
  /** Settings by path, including the section. A setting with the value undefined is not changed. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Advice on what to write instead of the key. */
  readonly advice?: string | undefined;
}

/**
 * The meaning of a key: advice if it has no effect, null if no advice is needed, or a function that translates the value. `directory` is
 * that of the project, in which it may look for packages.
 */
export type Meaning = string | null | ((value: unknown, directory: string) => Translation);

/** Returns the translation of a value by its meaning. */
export const translationOf = (meaning: Meaning, value: unknown, directory = '.'): Translation =>
  typeof meaning === 'function' ? meaning(value, directory) : meaning === null ? {} : { advice: meaning };

/** Returns the value if it is an object, otherwise an empty object. */
export const valuesOf = (value: unknown): Values => (isRecord(value) ? value : {});
