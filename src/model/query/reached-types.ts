import { memoize } from '#base/caches.js';
import type { ContentType } from '../schema/content-type.js';
import type { Aggregation, Source } from './aggregate/aggregation.js';
import type { Child, Condition, NestedList, Plan, Selection, SortKey } from './plan.js';

/** Returns the types whose entries a read looks at: for its conditions, its order, and its answer. */
export const reachedTypes = memoize(
  ({ type, condition, sort, selection }: Plan): ReadonlySet<ContentType> =>
    new Set([type, ...ofCondition(condition), ...ofSort(sort), ...ofSelection(selection)]),
);

/** Returns the types whose entries groups look at. */
export const typesOfGroups = (groupings: readonly Aggregation[]): ReadonlySet<ContentType> =>
  new Set(
    groupings.flatMap(({ entries, keys, figures }) => [
      ...reachedTypes(entries),
      ...[...keys, ...figures.map(({ source }) => source)].flatMap(ofSource),
    ]),
  );

const ofSource = (source: Source): readonly ContentType[] =>
  source.kind === 'link' ? [source.target, ...ofCondition(source.visible)] : [];

const ofSort = (sort: readonly SortKey[]): readonly ContentType[] =>
  sort.flatMap(({ links }) => links.map(({ target }) => target));

const ofSelection = ({ children, locales }: Selection): readonly ContentType[] =>
  [...children, ...(locales === null ? [] : [locales])].flatMap(ofChild);

function ofChild(child: Child): readonly ContentType[] {
  switch (child.kind) {
    case 'link':
    case 'component':
      return ofList(child);
    case 'zone':
      return [...child.targets.values()].flatMap(ofList);
    case 'morph': {
      const sources = (child.sources ?? []).flatMap(({ owner, condition }) => [owner, ...ofCondition(condition)]);
      return [...sources, ...[...child.targets.values()].flatMap(ofList)];
    }
  }
}

const ofList = ({ selection, condition, sort }: NestedList): readonly ContentType[] => [
  ...[selection.type, ...ofSelection(selection)],
  ...[...ofCondition(condition), ...ofSort(sort)],
];

function ofCondition(condition: Condition | null): readonly ContentType[] {
  switch (condition?.kind) {
    case undefined:
    case 'comparison':
      return [];
    case 'and':
    case 'or':
      return condition.conditions.flatMap(ofCondition);
    case 'not':
    case 'element':
      return ofCondition(condition.condition);
    case 'search':
      return ofCondition(condition.otherwise);
    case 'related':
      return [condition.target, ...ofCondition(condition.condition)];
    case 'fallback':
      return [condition.type, ...ofCondition(condition.visible)];
  }
}
