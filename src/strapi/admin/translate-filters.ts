import { isPlainObject } from '#base/values.js';

/** Operators that conditions of Strapi v4 use, by their names in filters. */
const operators: Readonly<Record<string, string>> = { $nin: '$notIn', $exists: '$notNull' };

/** Returns a condition of Strapi v4 (`{ 'createdBy.roles': { $elemMatch: { id: 1 } } }`) as filters. */
export function plainFilters(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainFilters);
  if (!isPlainObject(value)) return value;
  if ('$elemMatch' in value) return plainFilters(value['$elemMatch']);
  if (Object.keys(value).every((key) => key.startsWith('$')))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [operators[key] ?? key, plainFilters(inner)]));
  const parts = Object.entries(value).map(([key, inner]) => nested(key, plainFilters(inner)));
  return parts.length === 1 ? parts[0] : { $and: parts };
}

const nested = (key: string, value: unknown): unknown =>
  key.startsWith('$') ? { [key]: value } : key.split('.').reduceRight((inner, name) => ({ [name]: inner }), value);
