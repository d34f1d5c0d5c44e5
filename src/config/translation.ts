import { isRecord, type Values } from '../values.js';

/** The translation of a key of a Strapi v4 configuration. */
export interface Translation {
  /** Settings by their path, which begins with the section. A value of undefined leaves the setting as it is. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Advice on what to write instead of the key. */
  readonly advice?: string | undefined;
}

/** Advice for a key without effect, null if none is needed, or a function that translates its value. */
export type Meaning = string | null | ((value: unknown) => Translation);

/** The keys of an object; none of anything else. */
export const valuesOf = (value: unknown): Values => (isRecord(value) ? value : {});
