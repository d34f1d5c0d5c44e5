import { cacheControlPattern } from '#base/values.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { ModelOption } from '#model/schema/model-option.js';

/** `Cache-Control` of the answers of a type to callers without credentials, in place of that of the configuration. */
export const cacheOption: ModelOption<string, string> = {
  key: 'cacheControl',
  schema: { type: 'string', pattern: cacheControlPattern, maxLength: 200 },
  read: (stated) => stated ?? null,
};

/** Whether writes over REST must name the version of the entry. */
export const ifMatchOption: ModelOption<true, boolean> = {
  key: 'requireIfMatch',
  schema: { type: 'boolean' },
  read: (stated) => (stated === true ? true : null),
};

/** Returns whether writes of entries of a type over REST must name their version. */
export const requiresIfMatch = ({ options }: ContentType): boolean => options.has(ifMatchOption.key);
