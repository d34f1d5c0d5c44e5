import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { mapParts, mapRecords } from '#model/schema/parts.js';
import { isRecord, type Values } from '#base/values.js';

/** The type of the entries of an answer, and the models in force. */
interface Models {
  readonly type: ContentType;
  readonly registry: Registry;
}

/**
 * Returns an answer with flat entries in `data`: `{ id, title, author: { id, name } }` instead of `attributes`, and of `data`
 * around related entries and files. Other answers are returned unchanged.
 */
export const flattenAnswer = (answer: unknown, models: Models): unknown =>
  isRecord(answer) && 'data' in answer ? { ...answer, data: flattenEntries(answer['data'], models) } : answer;

const flattenEntries = (value: unknown, models: Models): unknown =>
  mapRecords(value, (entry) => {
    if (!isRecord(entry['attributes'])) return entry;
    const flat = { ...distanceIn(entry['meta']), ...flattenValues(entry['attributes'], models) };
    return 'id' in entry ? { id: entry['id'], ...flat } : flat;
  });

/** Returns the distance of an entry from a place, if there is one, as its `meta`. An attribute of this name comes before it. */
const distanceIn = (meta: unknown): Values =>
  isRecord(meta) && meta['distance'] !== undefined ? { meta: { distance: meta['distance'] } } : {};

const flattenValues = (values: Values, { type, registry }: Models): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const attribute = type.attributes.get(name);
      return [name, attribute === undefined ? value : flattenValue(value, attribute, registry)];
    }),
  );

function flattenValue(value: unknown, attribute: Attribute, registry: Registry): unknown {
  const target = attribute.kind === 'relation' || attribute.kind === 'media' ? registry.types.get(attribute.target) : undefined;
  if (target === undefined) return mapParts(attribute, value, registry, (part, type) => flattenValues(part, { type, registry }));
  return isRecord(value) && 'data' in value ? flattenEntries(value['data'], { type: target, registry }) : value;
}
