import { validationError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import type { FacetQuery } from '../ast.js';
import { flagOf } from '../parse-list.js';
import { parseKey } from './parse-key.js';

const maxFacets = 5;
const maxRanges = 50;

/** Parses `facets[0]=category&facets[price][ranges]=0,10&facets[kind][self]=true`. Throws a ValidationError. */
export function parseFacets(input: unknown): readonly FacetQuery[] {
  if (input === undefined) return [];
  const items = isRecord(input) ? Object.entries(input) : [['0', input] as const];
  const facets = items.flatMap(([name, value]) => (/^\d+$/.test(name) ? parseNames(value) : [parseFacet(name, value)]));
  if (facets.length > maxFacets) throw invalidFacets(`more than ${String(maxFacets)} facets`);
  return facets;
}

function parseNames(value: unknown): FacetQuery[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    if (typeof item !== 'string') throw invalidFacets('expected the names of attributes');
    return item.split(',').map((name) => parseFacet(name.trim(), {}));
  });
}

const options = ['ranges', 'self'];

function parseFacet(name: string, value: unknown): FacetQuery {
  if (!isRecord(value) || Object.keys(value).some((key) => !options.includes(key)))
    throw invalidFacets(`expected facets[${name}][ranges] or facets[${name}][self]`);
  const { ranges, self = false } = value;
  const leavesOutOwn = flagOf(self);
  if (leavesOutOwn === null) throw invalidFacets(`facets[${name}][self] must be true or false`);
  return { key: parseKey(name, 'facets'), ranges: ranges === undefined ? null : parseRanges(name, ranges), leavesOutOwn };
}

function parseRanges(name: string, input: unknown): readonly unknown[] {
  const bounds: readonly unknown[] = typeof input === 'string' ? input.split(',') : Array.isArray(input) ? input : [];
  if (bounds.length === 0 || bounds.length > maxRanges)
    throw invalidFacets(`facets[${name}][ranges] must have 1 to ${String(maxRanges)} bounds`);
  return bounds;
}

export const invalidFacets = (reason: string): Error => validationError(`Invalid parameter facets: ${reason}`);
