import { invalidParameter } from '#base/errors.js';
import { isGroup, isQuantifier } from '#model/query/operators.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { hasJsonPaths, keysOfPath } from '#model/schema/json-options.js';
import { isRecord, type Values } from '#base/values.js';

/**
 * Translates GraphQL filters to those of REST, for example `{ in: [1] }` to `{ $in: [1] }`, so that both have the same parser.
 * The position decides whether a key is an operator: directly inside an entry, keys are attributes, groups or quantifiers, so an
 * attribute may have the name `in`. Empty groups and relations without conditions are omitted, because they have no effect.
 */
export function translateFilters(filters: Values, type: ContentType, registry: Registry): Values {
  const entries = Object.entries(filters).map(([key, value]) => {
    if (isGroup(key)) return [`$${key}`, translateGroup(key, value, type, registry)];
    if (isQuantifier(key) && !type.attributes.has(key))
      return [`$${key}`, isRecord(value) ? translateFilters(value, type, registry) : undefined];
    return [key, translateAttribute(key, value, type, registry)];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function translateGroup(group: 'and' | 'or' | 'not', value: unknown, type: ContentType, registry: Registry): unknown {
  const inner = (item: unknown) => (isRecord(item) ? translateFilters(item, type, registry) : {});
  if (group === 'not') return isRecord(value) ? orNothing(inner(value)) : undefined;
  return Array.isArray(value) && value.length > 0 ? value.map(inner) : undefined;
}

const orNothing = (input: Values): Values | undefined => (Object.keys(input).length === 0 ? undefined : input);

function translateAttribute(name: string, value: unknown, type: ContentType, registry: Registry): unknown {
  const attribute = type.attributes.get(name);
  if (attribute?.kind === 'scalar' && isRecord(value) && hasJsonPaths(attribute, type)) return translatePath(value);
  if (attribute === undefined || attribute.kind === 'scalar') return isRecord(value) ? translateComparisons(value) : value;
  const uid = attribute.kind === 'component' ? attribute.component : 'target' in attribute ? attribute.target : '';
  const target = registry.types.get(uid);
  if (isRecord(value)) return target === undefined ? undefined : orNothing(translateFilters(value, target, registry));
  return value ?? undefined; // of code: an id, or a list of ids
}

/** Translates comparisons of values inside of JSON to those below their path. Throws a ValidationError for what is no path. */
function translatePath({ path, ...comparisons }: Values): Values {
  if (typeof path !== 'string') return translateComparisons(comparisons);
  if (keysOfPath(path) === null) throw invalidParameter(path === '' ? 'path' : path);
  return { [path]: translateComparisons(comparisons) };
}

/**
 * Translates the comparisons of a scalar, in which all keys are operators. `and` and `or` contain values, one of which must be
 * equal.
 */
function translateComparisons(comparisons: Values): Values {
  return Object.fromEntries(Object.entries(comparisons).map(([key, value]) => [`$${key}`, translateComparison(key, value)]));
}

function translateComparison(key: string, value: unknown): unknown {
  if (!isGroup(key)) return value;
  if (key === 'not') return isRecord(value) ? translateComparisons(value) : {};
  return Array.isArray(value) ? value.map((item: unknown) => ({ $eq: item })) : [];
}
