import type { ModelOption } from '#model/schema/model-option.js';

/** How many versions of each entry are kept, and for how many days. */
export interface Retention {
  readonly versions: number;
  readonly days: number;
}

/** `options.history`. Components have no versions, and types of the service neither, because their entries may have secrets. */
export const historyOption: ModelOption<Retention, Partial<Retention>> = {
  key: 'history',
  schema: {
    type: 'object',
    properties: {
      versions: { type: 'integer', minimum: 1, maximum: 1000 },
      days: { type: 'integer', minimum: 1, maximum: 3650 },
    },
    additionalProperties: false,
  },
  read: (optionValue, { uid, kind }) =>
    optionValue === undefined || kind === undefined || !uid.startsWith('api::')
      ? null
      : { versions: 50, days: 365, ...optionValue },
};
