import { isRecord, type Values } from '../values.js';

/** What a key of a Strapi v4 configuration stands for. */
export interface Translation {
  /** Settings by their path, which begins with the section. A value of undefined leaves the setting as it is. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** What to do instead of writing the key. */
  readonly advice?: string | undefined;
}

/** The advice for a key without an effect, nothing (null) if nobody misses it, or what it stands for by its value. */
export type Meaning = string | null | ((value: unknown) => Translation);

/** The keys of an object; none of anything else. */
export const valuesOf = (value: unknown): Values => (isRecord(value) ? value : {});
