import type { Values } from '#base/values.js';
import {
  type Aggregation,
  type AggregationQuery,
  countPath,
  type Figure,
  figurePath,
  type GroupKey,
} from '#model/query/aggregate/aggregation.js';
import { bindAggregation } from '#model/query/aggregate/bind-aggregation.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import type { BoundPagination } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { exactNumber } from '#model/schema/exact-number.js';
import { type Group, readGroups } from '#store/read/aggregate/read-groups.js';
import { readTotal } from '#store/read/read-page.js';
import type { ContentContext } from './content-context.js';
import { contextForRead } from './drafts.js';
import { findOutside, maySearchOutside } from './find-outside.js';

/** A page of groups. */
export interface GroupPage {
  readonly groups: readonly ShownGroup[];
  readonly pagination: BoundPagination;
  /** The number of groups on all pages; null if it was not asked for. */
  readonly total: number | null;
  /** Whether there are more groups than are found. */
  readonly isTruncated: boolean;
}

/** A group as it is answered. */
interface ShownGroup {
  /** The keys by their names. Related entries are `{ id }`, with the attribute that was asked for; null if there is none. */
  readonly group: Values;
  /** The number of entries; absent if it was not asked for. */
  readonly count?: number;
  /** The values of a function by attribute. */
  readonly [name: string]: unknown;
}

/**
 * Returns a page of the groups of a content type. Code around reads does not run, because it knows entries alone. Throws a
 * ValidationError for what the groups cannot have, and for names that the caller may not read.
 */
export async function aggregate(
  type: ContentType,
  query: AggregationQuery,
  { minGroup }: { readonly minGroup: number },
  context: ContentContext,
): Promise<GroupPage> {
  const entryQuery = query.entries;
  const entriesQuery = maySearchOutside(entryQuery, context)
    ? await findOutside(type, entryQuery, context, { isWhole: true })
    : entryQuery;
  const aggregation = bindAggregation({ ...query, entries: entriesQuery }, type, context.bind, minGroup);
  const { bind, store } = await contextForRead(entriesQuery, [aggregation], context);
  const { entries, keys, maxGroups } = aggregation;
  const [found = []] = await readGroupings([aggregation], { registry: bind.registry, ...store });
  const groups = keys.length === 0 ? onlyGroup(found[0], aggregation) : found.slice(0, maxGroups);
  bind.budget.spend('entriesRead', groups.length);
  const { pagination, window, withTotal } = entries;
  const page = groups.slice(window.skip, window.limit === null ? undefined : window.skip + window.limit);
  return {
    groups: page.map((group) => showGroup(group, aggregation)),
    pagination,
    total: withTotal ? groups.length : null,
    isTruncated: found.length > maxGroups,
  };
}

/** Returns groups as `readGroups` does. If nothing but the number of all entries is asked for, it may be a total that is kept. */
export async function readGroupings(...[groupings, context]: Parameters<typeof readGroups>): ReturnType<typeof readGroups> {
  const [first, ...others] = groupings;
  if (first === undefined) return [];
  if (others.length > 0 || first.keys.length > 0 || first.figures.length > 0) return readGroups(groupings, context);
  return [[{ keys: [], fields: [], count: await readTotal(first.entries, context), figures: [] }]];
}

/** Returns the group of all entries, of which there may be none; no group if it does not meet the conditions on groups. */
export function onlyGroup(found: Group | undefined, { figures, having, minGroup }: Aggregation): readonly Group[] {
  const group = found ?? { keys: [], fields: [], count: 0, figures: figures.map(figureOfNone) };
  const values = Object.fromEntries(group.figures.map((value, index) => [figurePath(index), value]));
  const isMet = having === null || meetsCondition(having, { [countPath]: group.count, ...values });
  return isMet && group.count >= minGroup ? [group] : [];
}

/** Returns what a function has for no values. */
const figureOfNone = (figure: Figure): unknown => (figure.function === 'countDistinct' ? 0 : null);

const showGroup = (group: Group, { keys, figures, isCountAnswered }: Aggregation): ShownGroup => ({
  group: Object.fromEntries(keys.map((key, index) => [key.name, showKey(key, group.keys[index], group.fields[index])])),
  ...(isCountAnswered && { count: group.count }),
  ...showFigures(group, figures),
});

/** The values of functions of a group, by function and attribute. */
export type ShownFigures = Readonly<Record<string, Values>>;

export function showFigures(group: Group, figures: readonly Figure[]): ShownFigures {
  const values: Record<string, Record<string, unknown>> = {};
  for (const [index, figure] of figures.entries())
    if (figure.isAnswered) (values[figure.function] ??= {})[figure.name] = showFigure(group.figures[index], figure);
  return values;
}

export function showKey(key: GroupKey, value: unknown, field: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (key.kind === 'scalar') return key.bucket === null ? scalarTypes[key.type].output(value) : value;
  return key.field === null ? { id: value } : { id: value, [key.field.name]: shownBy(key.field, field) };
}

const shownBy = ({ type }: NonNullable<Extract<GroupKey, { kind: 'link' }>['field']>, value: unknown): unknown =>
  value === null || value === undefined ? null : scalarTypes[type].output(value);

/** Sums that a double does not hold exactly are texts. Sums and averages that are larger than all doubles are null. */
function showFigure(value: unknown, { function: name, source }: Figure): unknown {
  if (value === null || value === undefined) return null;
  const isValue = (name === 'min' || name === 'max') && source.kind === 'scalar';
  if (isValue) return scalarTypes[source.type].output(value);
  const shown = name === 'avg' ? Number(value) : exactNumber(value);
  return typeof shown === 'number' && !Number.isFinite(shown) ? null : shown;
}
