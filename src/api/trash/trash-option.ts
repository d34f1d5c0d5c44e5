import type { ModelOption } from '#model/schema/model-option.js';

/** For how many days deleted entries are kept. */
interface Keeping {
  readonly days: number;
}

/** `options.trash`. Components are no entries, and the entries of types of the service may have secrets. */
export const trashOption: ModelOption<Keeping, Partial<Keeping>> = {
  key: 'trash',
  schema: {
    type: 'object',
    properties: { days: { type: 'integer', minimum: 1, maximum: 365 } },
    additionalProperties: false,
  },
  read: (stated, { uid, kind }) =>
    stated === undefined || kind === undefined || !uid.startsWith('api::') ? null : { days: 30, ...stated },
};
