import { validationError } from '#base/errors.js';
import { actionOf, allows } from '#model/query/access.js';
import type { Query } from '#model/query/ast.js';
import { bindFacets, type Facet, maxValues } from '#model/query/aggregate/bind-facets.js';
import type { ContentType } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { type Group, readGroups } from '#store/read/aggregate/read-groups.js';
import { showKey } from './aggregate.js';
import type { ContentContext } from './content-context.js';
import { contextForRead } from './drafts.js';
import { findOutside, maySearchOutside } from './find-outside.js';
import { ownContext } from './lent-entry.js';
import { surroundingReads } from './surrounded-reads.js';

/** The values of the facets of a list by their names, with the numbers of entries. */
export interface Facets {
  readonly facets: Readonly<Record<string, readonly object[]>>;
  /** The names of those that have more values. */
  readonly truncated: readonly string[];
}

/**
 * Counts the entries of a whole list by its facets, with the rights of the caller alone. Sends one command for those of the same
 * entries. Code around reads does not run; if there is any, the caller needs the right to group. Throws a ValidationError as groups do.
 */
export async function countFacets(
  type: ContentType,
  clientQuery: Query,
  { minGroup }: { readonly minGroup: number },
  caller: ContentContext,
): Promise<Facets> {
  const own = ownContext(type, caller);
  refusePastCode(type, own);
  const query = maySearchOutside(clientQuery, own) ? await findOutside(type, clientQuery, own, { isWhole: true }) : clientQuery;
  const facets = bindFacets(query, type, own.bind, minGroup);
  const groupings = facets.map(({ grouping }) => grouping);
  const { bind, store } = await contextForRead(query, groupings, own);
  const counted = await readGroups(groupings, { registry: bind.registry, ...store });
  const shown = facets.map((facet, index) => [facet.key.name, showFacet(facet, counted[index] ?? [])] as const);
  return {
    facets: Object.fromEntries(shown.map(([name, { values }]) => [name, values])),
    truncated: shown.flatMap(([name, { isTruncated }]) => (isTruncated ? [name] : [])),
  };
}

/** Throws a ValidationError if code may decide what a list has, and the caller may not group entries without it. */
function refusePastCode(type: ContentType, context: ContentContext): void {
  const action = actionOf(type, 'aggregate');
  if (surroundingReads(type, context) === null || allows(context.bind.access, action)) return;
  const reason = `lifecycles around reads of ${type.uid} do not hear of them, so that they need the right ${action}`;
  throw validationError(`Invalid parameter facets: ${reason}`);
}

interface ShownFacet {
  readonly values: readonly object[];
  readonly isTruncated: boolean;
}

/** Returns the values of a facet, the most frequent ones first, and null last; or all of its ranges. */
function showFacet({ key }: Facet, groups: readonly Group[]): ShownFacet {
  if (key.kind === 'scalar' && key.ranges !== null) return { values: showRanges(key, key.ranges, groups), isTruncated: false };
  const isNull = ({ keys: [value] }: Group): boolean => value === null;
  const sorted = [...groups.filter((group) => !isNull(group)), ...groups.filter(isNull)];
  const values = sorted
    .slice(0, maxValues)
    .map((group) => ({ value: showKey(key, group.keys[0], group.fields[0]), count: group.count }));
  return { values, isTruncated: sorted.length > maxValues };
}

/** Returns the ranges of a facet in their order. The last one is open. */
function showRanges(
  { type }: Extract<Facet['key'], { kind: 'scalar' }>,
  bounds: readonly unknown[],
  groups: readonly Group[],
): object[] {
  const counts = new Map(groups.map(({ keys: [index], count }) => [index, count]));
  const shown = bounds.map((bound) => scalarTypes[type].output(bound));
  return shown.map((from, index) => {
    const to = index + 1 < shown.length ? { to: shown[index + 1] } : {};
    return { from, ...to, count: counts.get(index) ?? 0 };
  });
}
