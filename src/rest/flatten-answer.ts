import type { Config } from '../config/config.js';
import type { QueryParameters } from '../http/route-request.js';
import type { Attribute, ContentType, Registry } from '../schema/content-type.js';
import { isRecord, type Values } from '../values.js';

/** The type of the entries of an answer, and the models in force. */
interface Models {
  readonly type: ContentType;
  readonly registry: Registry;
}

/** Returns whether a request gets flat entries: if `format` is `flat`, or by the setting unless `format` is `nested`. */
export function wantsFlat(query: QueryParameters, { api }: Pick<Config, 'api'>): boolean {
  const format = typeof query === 'string' ? formatOf(query) : query['format'];
  return format === 'flat' || (api.rest.flatten && format !== 'nested');
}

const formatOf = (query: string): string | null => (query.includes('format=') ? new URLSearchParams(query).get('format') : null);

/**
 * Returns an answer with flat entries in `data`: `{ id, title, author: { id, name } }` instead of `attributes`, and of `data`
 * around related entries and files. Other answers are returned unchanged.
 */
export const flattenAnswer = (answer: unknown, models: Models): unknown =>
  isRecord(answer) && 'data' in answer ? { ...answer, data: flattenEntries(answer['data'], models) } : answer;

function flattenEntries(value: unknown, models: Models): unknown {
  if (Array.isArray(value)) return value.map((entry) => flattenEntries(entry, models));
  if (!isRecord(value) || !isRecord(value['attributes'])) return value;
  const flat = flattenValues(value['attributes'], models);
  return 'id' in value ? { id: value['id'], ...flat } : flat;
}

const flattenValues = (values: Values, { type, registry }: Models): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const attribute = type.attributes.get(name);
      return [name, attribute === undefined ? value : flattenValue(value, attribute, registry)];
    }),
  );

function flattenValue(value: unknown, attribute: Attribute, registry: Registry): unknown {
  switch (attribute.kind) {
    case 'scalar':
    case 'morph':
      return value;
    case 'relation':
    case 'media': {
      const type = registry.types.get(attribute.target);
      return type !== undefined && isRecord(value) && 'data' in value ? flattenEntries(value['data'], { type, registry }) : value;
    }
    case 'component':
      return flattenParts(value, () => attribute.component, registry);
    case 'dynamiczone':
      return flattenParts(value, (part) => String(part['__component']), registry);
  }
}

/** Flattens what components contain. `uidOf` returns the component of a part. */
function flattenParts(value: unknown, uidOf: (part: Values) => string, registry: Registry): unknown {
  if (Array.isArray(value)) return value.map((part) => flattenParts(part, uidOf, registry));
  const type = isRecord(value) ? registry.types.get(uidOf(value)) : undefined;
  return isRecord(value) && type !== undefined ? flattenValues(value, { type, registry }) : value;
}
