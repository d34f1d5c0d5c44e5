import { validationError } from '#base/errors.js';
import { type Aggregation, type GroupingQuery, type GroupKey, maxGroups } from '#model/query/aggregate/aggregation.js';
import { bindGroupings } from '#model/query/aggregate/bind-groupings.js';
import type { Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { bindPlan } from '#model/query/bind-plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Group } from '#store/read/aggregate/read-groups.js';
import { readTotal } from '#store/read/read-page.js';
import { onlyGroup, readGroupings, showFigures, type ShownFigures, showKey } from './aggregate.js';
import type { ContentContext } from './content-context.js';
import { contextForRead } from './drafts.js';
import { ownContext } from './lent-entry.js';

/** Groupings of the same entries. */
interface TreeQuery {
  /** The entries that are grouped. */
  readonly entries: Query;
  readonly groupings: readonly GroupingQuery[];
  /** Whether the number of entries that the filters do not choose from is asked for. */
  readonly withTotal: boolean;
}

/** A group of a tree, as it is answered. Related entries are ids. */
export interface TreeGroup {
  readonly keys: readonly unknown[];
  readonly count: number;
  readonly figures: ShownFigures;
}

export interface GroupTree {
  /** The groups of each grouping. */
  readonly groups: readonly (readonly TreeGroup[])[];
  /** The number of entries without the filters; null if it was not asked for, or is less than that of the smallest group. */
  readonly total: number | null;
}

/**
 * Returns groupings of the same entries of a type. Sends the commands of `readGroups`, and one for the total unless it is kept. Code
 * around reads does not run. The rights are those of the caller alone. Throws a ValidationError as `aggregate` does, and for a grouping
 * with too many groups.
 */
export async function readGroupTree(
  type: ContentType,
  { entries: query, groupings, withTotal }: TreeQuery,
  { minGroup }: { readonly minGroup: number },
  caller: ContentContext,
): Promise<GroupTree> {
  const own = ownContext(type, caller);
  const entries = bindPlan(query, type, own.bind);
  const bound = bindGroupings(groupings, { entries, state: query.publicationState ?? 'live', minGroup }, own.bind);
  const { bind, store } = await contextForRead(query, bound, own);
  const context = { registry: bind.registry, ...store };
  const [found, total] = await Promise.all([
    readGroupings(bound, context),
    withTotal ? readTotal(bindPlan({ ...query, filter: null, search: null }, type, bind), context) : null,
  ]);
  const groups = bound.map((grouping, index) => showGroups(found[index] ?? [], grouping, bind));
  return { groups, total: total === null || total < minGroup ? null : total };
}

function showGroups(found: readonly Group[], grouping: Aggregation, { budget }: BindContext): readonly TreeGroup[] {
  const { keys, figures } = grouping;
  if (found.length > maxGroups) {
    const names = keys.map(({ name }) => name).join(', ');
    throw validationError(`Invalid parameter groupBy: ${names} has more than ${String(maxGroups)} groups`);
  }
  const groups = keys.length === 0 ? onlyGroup(found[0], grouping) : found;
  budget.spend('entriesRead', groups.length);
  return groups.map((group) => ({
    keys: keys.map((key, index) => showId(key, group.keys[index])),
    count: group.count,
    figures: showFigures(group, figures),
  }));
}

const showId = (key: GroupKey, value: unknown): unknown => (key.kind === 'link' ? (value ?? null) : showKey(key, value, null));
