import { validationError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { type ContentType, servedAs } from '../../schema/content-type.js';
import { scalarTypes } from '../../schema/scalar-types.js';
import type { Filter, Query } from '../ast.js';
import type { BindContext } from '../bind-context.js';
import { bindPlan } from '../bind-plan.js';
import { flagOf } from '../parse-list.js';
import type { Plan } from '../plan.js';
import type { Aggregation, GroupKey, KeyQuery } from './aggregation.js';
import { bindKey } from './bind-aggregation.js';
import { parseKey } from './parse-aggregation.js';

/** A count of the entries of a list by a key. */
export interface FacetQuery {
  readonly key: KeyQuery;
  /** The lower bounds of ranges as they are written; null if entries are counted by value. */
  readonly ranges: readonly unknown[] | null;
  /** Whether the filter on the attribute of the key is left out. */
  readonly leavesOutOwn: boolean;
}

/** A facet, bound: the entries that are counted, and their groups. */
export interface Facet {
  readonly entries: Plan;
  readonly grouping: Aggregation;
  readonly key: GroupKey;
}

const maxFacets = 5;
const maxRanges = 50;

/** The most values of a facet. */
export const maxValues = 100;

/** Parses `facets[0]=category&facets[price][ranges]=0,10&facets[kind][self]=true`. Throws a ValidationError. */
export function parseFacets(input: unknown): readonly FacetQuery[] {
  if (input === undefined) return [];
  const items = isRecord(input) ? Object.entries(input) : [['0', input] as const];
  const facets = items.flatMap(([name, value]) => (/^\d+$/.test(name) ? parseNames(value) : [parseFacet(name, value)]));
  if (facets.length > maxFacets) throw invalid(`more than ${String(maxFacets)} facets`);
  return facets;
}

function parseNames(value: unknown): FacetQuery[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    if (typeof item !== 'string') throw invalid('expected the names of attributes');
    return item.split(',').map((name) => parseFacet(name.trim(), {}));
  });
}

const options = ['ranges', 'self'];

function parseFacet(name: string, value: unknown): FacetQuery {
  if (!isRecord(value) || Object.keys(value).some((key) => !options.includes(key)))
    throw invalid(`expected facets[${name}][ranges] or facets[${name}][self]`);
  const { ranges, self = false } = value;
  const leavesOutOwn = flagOf(self);
  if (leavesOutOwn === null) throw invalid(`facets[${name}][self] must be true or false`);
  return { key: parseKey(name, 'facets'), ranges: ranges === undefined ? null : parseRanges(name, ranges), leavesOutOwn };
}

function parseRanges(name: string, input: unknown): readonly unknown[] {
  const bounds: readonly unknown[] = typeof input === 'string' ? input.split(',') : Array.isArray(input) ? input : [];
  if (bounds.length === 0 || bounds.length > maxRanges)
    throw invalid(`facets[${name}][ranges] must have 1 to ${String(maxRanges)} bounds`);
  return bounds;
}

const invalid = (reason: string): Error => validationError(`Invalid parameter facets: ${reason}`);

/** Binds the facets of a list. Throws a ValidationError as groups do. */
export function bindFacets(
  facets: readonly FacetQuery[],
  query: Query,
  type: ContentType,
  context: BindContext,
  minGroup: number,
): readonly Facet[] {
  const list: Query = {
    ...query,
    sort: [],
    pagination: null,
    fields: null,
    populate: { all: false, fields: [] },
    withTotal: false,
  };
  const all = bindPlan(list, type, context);
  const bound = facets.map(({ key: asked, ranges, leavesOutOwn }): Facet => {
    const key = bindRanges(bindKey(asked, 'UTC', { type, context, state: query.publicationState ?? 'live' }, 'facets'), ranges);
    const own = asked.path[0] ?? '';
    const entries = leavesOutOwn ? bindPlan({ ...list, filter: withoutOwn(list.filter, own, type) }, type, context) : all;
    return { entries, key, grouping: groupingOf(key, entries, minGroup) };
  });
  const names = bound.map(({ key }) => key.name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw invalid(`${repeated} is there twice`);
  return bound;
}

/** Returns the groups of a key, the largest first, with one more for null and one that tells that there are more. */
const groupingOf = (key: GroupKey, entries: Plan, minGroup: number): Aggregation => ({
  ...{ entries, keys: [key], figures: [], isCountAnswered: true, having: null, minGroup },
  sort: [{ by: { kind: 'count' }, order: -1 }],
  maxGroups: maxValues + 1,
});

function bindRanges(key: GroupKey, ranges: FacetQuery['ranges']): GroupKey {
  if (ranges === null) return key;
  const isRanged =
    key.kind === 'scalar' && key.bucket === null && key.type in scalarTypes && scalarTypes[key.type].stored !== 'boolean';
  if (!isRanged) throw invalid(`${key.name} has no ranges`);
  const { cast } = scalarTypes[key.type];
  const bounds = ranges.map((bound) => cast(bound, `facets[${key.name}][ranges]`)) as (number | string | Date)[]; // stored forms
  if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound)))
    throw invalid(`the bounds of facets[${key.name}][ranges] must ascend`);
  return { ...key, ranges: bounds };
}

/** Returns a filter without the conditions on an attribute, unless they are alternatives. */
function withoutOwn(filter: Filter | null, name: string, type: ContentType): Filter | null {
  if (filter?.kind === 'field') return servedAs(type, filter.name) === servedAs(type, name) ? null : filter;
  if (filter?.kind !== 'and') return filter;
  const filters = filter.filters.flatMap((one) => withoutOwn(one, name, type) ?? []);
  return filters.length === 0 ? null : { kind: 'and', filters };
}
