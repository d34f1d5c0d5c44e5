import type { ContentContext } from '#content/content-context.js';
import { freeFrom, madeUid } from '#content/generate-uids.js';
import { entryType } from '#api/code/entity-service.js';
import { validationError } from '#base/errors.js';
import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';

/** A uid attribute of a content type. */
interface UidPlace {
  readonly contentTypeUID: string;
  readonly field: string;
}

/** Returns `strapi.plugin('content-manager').service('uid')`, which makes values of uid attributes. */
export function createUidService(content: () => ContentContext) {
  const freeValue = ({ contentTypeUID, field }: UidPlace, value: string): Promise<string> => {
    const context = content();
    const type = entryType(contentTypeUID, context.bind.registry);
    return freeFrom(value, { type, name: uidIn(type, field).name, among: {}, attempt: 0 }, context);
  };
  return {
    /** Returns a free value, made from the attribute that the model names as the source: `one-1` if `one` is taken. */
    generateUIDField: async ({ data, ...place }: UidPlace & { readonly data: unknown }): Promise<string> => {
      const type = entryType(place.contentTypeUID, content().bind.registry);
      const values: Values = isRecord(data) ? data : {};
      return freeValue(place, await madeUid(type, uidIn(type, place.field), values));
    },
    /** Returns a value if it is free, otherwise with a number. */
    findUniqueUID: ({ value, ...place }: UidPlace & { readonly value: string }): Promise<string> => freeValue(place, value),
    checkUIDAvailability: async ({ value, ...place }: UidPlace & { readonly value: string }): Promise<boolean> =>
      (await freeValue(place, value)) === value,
  };
}

function uidIn({ attributes }: ContentType, name: string): ScalarAttribute {
  const attribute = attributes.get(name);
  if (attribute?.kind === 'scalar' && attribute.type === 'uid') return attribute;
  throw validationError(`${name} must be a valid \`uid\` attribute`);
}
