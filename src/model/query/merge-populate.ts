import { refusedBy } from '#base/limits/exceeded.js';
import { isDeepStrictEqual } from 'node:util';
import { validationError } from '#base/errors.js';
import type { Limits } from './bind-context.js';
import { emptyQuery, fieldOf, type Populate, type PopulateField, type Query } from './ast.js';

/** Returns the error for a populate of more levels than the limit allows. */
export const tooDeep = ({ populateDepth }: Limits): Error =>
  refusedBy('api.limits.populateDepth', `Invalid parameter populate: deeper than ${String(populateDepth)} levels`);

/** Returns a field under its own name, without parameters. */
export const plainField = (name: string, query: Query): PopulateField => fieldOf(name, { ...query, withTotal: false });

/** Returns everything that some of the parts populate. Throws a ValidationError as `mergeFields` does. */
export const unite = (parts: readonly Populate[]): Populate => ({
  all: parts.some(({ all }) => all),
  fields: mergeFields(parts.flatMap(({ fields }) => fields)),
});

/**
 * Merges fields of the same key (`seo`, `seo.image`) into one field with everything that either asks for. Throws a ValidationError
 * if two of them have different filters, sorts, windows or publication states.
 */
export function mergeFields(fields: readonly PopulateField[]): PopulateField[] {
  const byKey = new Map<string, PopulateField>();
  for (const field of fields) {
    const same = byKey.get(field.key);
    byKey.set(field.key, same === undefined ? field : mergeTwo(same, field));
  }
  return [...byKey.values()];
}

const mergeTwo = (first: PopulateField, second: PopulateField): PopulateField => ({
  ...first,
  query: mergeQueries(first.name, first.query, second.query),
  countOnly: first.countOnly || second.countOnly,
  reversed: first.reversed || second.reversed,
  on: mergeFragments(first, second),
});

function mergeQueries(name: string, first: Query, second: Query): Query {
  const pick = <Key extends 'filter' | 'sort' | 'pagination' | 'publicationState'>(key: Key): Query[Key] => {
    if (isDeepStrictEqual(second[key], emptyQuery[key]) || isDeepStrictEqual(first[key], second[key])) return first[key];
    if (isDeepStrictEqual(first[key], emptyQuery[key])) return second[key];
    throw validationError(`Invalid parameter populate: ${name} is described more than once`);
  };
  return {
    ...first,
    filter: pick('filter'),
    sort: pick('sort'),
    pagination: pick('pagination'),
    publicationState: pick('publicationState'),
    fields:
      first.fields === null || second.fields === null ? (first.fields ?? second.fields) : distinct(first.fields, second.fields),
    populate: unite([first.populate, second.populate]),
  };
}

const distinct = (first: readonly string[], second: readonly string[]): string[] => [...new Set([...first, ...second])];

function mergeFragments({ name, on }: PopulateField, { on: others }: PopulateField): PopulateField['on'] {
  if (on === null || others === null) return on ?? others;
  const merged = new Map(on);
  for (const [uid, query] of others) {
    const same = on.get(uid);
    merged.set(uid, same === undefined ? query : mergeQueries(name, same, query));
  }
  return merged;
}
