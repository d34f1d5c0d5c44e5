import { type ContentType, servedAs } from '../../schema/content-type.js';
import { scalarTypes } from '../../schema/scalar-types.js';
import { type FacetQuery, type Filter, noPopulate, type Query } from '../ast.js';
import type { BindContext } from '../bind-context.js';
import { bindPlan } from '../bind-plan.js';
import type { Plan } from '../plan.js';
import type { Aggregation, GroupKey } from './aggregation.js';
import { bindKey } from './bind-aggregation.js';
import { invalidFacets } from './parse-facets.js';

/** A facet, bound. */
export interface Facet {
  readonly grouping: Aggregation;
  readonly key: GroupKey;
}

/** The most values of a facet. */
export const maxValues = 100;

/** Binds the facets of a list. Throws a ValidationError as groups do. */
export function bindFacets(query: Query, type: ContentType, context: BindContext, minGroup: number): readonly Facet[] {
  const list: Query = { ...query, sort: [], pagination: null, fields: null, populate: noPopulate, withTotal: false };
  const all = bindPlan(list, type, context);
  const scope = { type, context, state: query.publicationState ?? 'live' };
  const bound = query.facets.map(({ key: asked, ranges, leavesOutOwn }): Facet => {
    const key = bindRanges(bindKey(asked, 'UTC', scope, 'facets'), ranges);
    const entries = leavesOutOwn ? bindPlan({ ...list, filter: withoutOwn(list.filter, asked.path, scope) }, type, context) : all;
    return { key, grouping: groupingOf(key, entries, minGroup) };
  });
  const names = bound.map(({ key }) => key.name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw invalidFacets(`${repeated} is there twice`);
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
  if (!isRanged) throw invalidFacets(`${key.name} has no ranges`);
  const { cast, stored } = scalarTypes[key.type];
  if (stored !== 'text' && ranges.some(isBlank)) throw invalidFacets(`facets[${key.name}][ranges] has an empty bound`);
  const bounds = ranges.map((bound) => cast(bound, `facets[${key.name}][ranges]`)) as (number | string | Date)[]; // stored forms
  if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound)))
    throw invalidFacets(`the bounds of facets[${key.name}][ranges] must ascend`);
  return { ...key, ranges: bounds };
}

const isBlank = (bound: unknown): boolean => typeof bound === 'string' && bound.trim() === '';

/** The type that a filter is about. */
interface Place {
  readonly type: ContentType;
  readonly context: BindContext;
}

/** Returns a filter without the conditions on an attribute, or on one of a component, unless they are alternatives. */
function withoutOwn(filter: Filter | null, path: readonly string[], place: Place): Filter | null {
  if (filter?.kind === 'and') {
    const filters = filter.filters.flatMap((one) => withoutOwn(one, path, place) ?? []);
    return filters.length === 0 ? null : { kind: 'and', filters };
  }
  const { type, context } = place;
  const [name = '', ...names] = path;
  if (filter?.kind !== 'field' || servedAs(type, filter.name) !== servedAs(type, name)) return filter;
  const attribute = type.attributes.get(servedAs(type, name));
  const part = attribute?.kind === 'component' ? context.registry.types.get(attribute.component) : undefined;
  if (part === undefined || names.length === 0) return null;
  const inner = withoutOwn(filter.filter, names, { type: part, context });
  return inner === null ? null : { ...filter, filter: inner };
}
