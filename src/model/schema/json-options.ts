import type { ContentType, ScalarAttribute } from './content-type.js';
import type { Model } from './model.js';
import { type ModelOption, optionOf } from './model-option.js';

/** Maximum numbers of keys and characters in a path of JSON. */
const mostKeys = 8;
const mostCharacters = 1_000;

/** Returns the keys in a path of JSON, such as `size.width` or `colors.0`; null if it is not one. */
export function keysOfPath(path: string): readonly string[] | null {
  const keys = path.split('.');
  return path.length <= mostCharacters && keys.length <= mostKeys && keys.every((key) => key !== '' && !/[$\0]/.test(key))
    ? keys
    : null;
}

/** Returns whether a key in a path of JSON is a position in a list. A longer number is the position of no item. */
export const isPosition = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key);

/** Whether filters name paths in the JSON attributes of a type or component. */
const jsonFilters: ModelOption<true, boolean> = {
  key: 'jsonFilters',
  schema: { type: 'boolean' },
  read: (optionValue) => (optionValue === true ? true : null),
};

/** The paths in JSON attributes that have an index: `data.size.width`. */
const jsonIndexes: ModelOption<readonly string[], readonly string[]> = {
  key: 'jsonIndexes',
  schema: { type: 'array', items: { type: 'string', maxLength: 300 }, maxItems: 48, uniqueItems: true },
  read: (optionValue, { kind }) => (kind === undefined ? null : (optionValue ?? null)),
};

export const jsonOptions: readonly ModelOption[] = [jsonFilters, jsonIndexes];

/** Returns whether filters name paths in an attribute. */
export const hasJsonPaths = ({ type: form }: Pick<ScalarAttribute, 'type'>, type: Pick<ContentType, 'options'>): boolean =>
  form === 'json' && optionOf(type, jsonFilters) !== null;

/** Returns the paths in the JSON attributes of a type that have an index. */
export const jsonIndexesOf = (type: Pick<ContentType, 'options'>): readonly string[] => optionOf(type, jsonIndexes) ?? [];

/** Returns what is wrong with the indexes of a model in JSON attributes. */
export function jsonIndexProblems({ options, attributes, kind }: Model): string[] {
  const stated = options?.['jsonIndexes'];
  if (!Array.isArray(stated) || stated.length === 0) return [];
  if (kind === undefined) return ['options.jsonIndexes is an option of content types, not of components'];
  if (options?.['jsonFilters'] !== true) return ['options.jsonIndexes requires options.jsonFilters'];
  return stated.map(String).flatMap((path) => {
    const [name = '', ...keys] = path.split('.');
    const place = `options.jsonIndexes: ${path}`;
    if (attributes[name]?.type !== 'json') return [`${place} must begin with a json attribute`];
    if (keysOfPath(keys.join('.')) === null) return [`${place} must name 1 to ${String(mostKeys)} keys without $`];
    // with a number in the path, MongoDB refuses documents whose lists have objects with such a key
    return keys.some((key) => /^\d+$/.test(key)) ? [`${place} must not contain a number`] : [];
  });
}
