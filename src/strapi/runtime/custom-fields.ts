import type { Config } from '#settings/config.js';
import { customFieldTypes } from '#settings/api-settings.js';
import { isRecord, type Values } from '#base/values.js';

/** `strapi.customFields` of Strapi v4. */
export class CustomFields {
  readonly #types = new Map<string, string>();

  /** The types that the fields are stored as, by name: `plugin::rating.stars` or `global::stars`. */
  get types(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#types);
  }

  /** Registers a custom field, or a list of them. Throws the errors of Strapi v4 for fields that it refuses. */
  readonly register = (given: unknown): void => {
    for (const field of [given].flat()) this.#add(isRecord(field) ? field : {});
  };

  #add({ name, plugin, type }: Values): void {
    if (name === undefined || type === undefined) throw new Error(`Custom fields require a 'name' and 'type' key`);
    if (typeof type !== 'string' || !customFieldTypes.includes(type))
      throw new Error(`Custom field type: '${String(type)}' is not a valid Strapi type or it can't be used with a Custom Field`);
    if (!/^(?![0-9])[\w$-]+$/.test(String(name)))
      throw new Error(`Custom field name: '${String(name)}' is not a valid object key`);
    const uid = `${typeof plugin === 'string' ? `plugin::${plugin}.` : 'global::'}${String(name)}`;
    if (this.#types.has(uid)) throw new Error(`Custom field: '${uid}' has already been registered`);
    this.#types.set(uid, type);
  }
}

/** Returns the configuration with the custom fields that code has registered. Written settings win. */
export const withCustomFields = ({ api, ...config }: Config, fields: Config['api']['customFields']): Config => ({
  ...config,
  api: { ...api, customFields: { ...fields, ...api.customFields } },
});
