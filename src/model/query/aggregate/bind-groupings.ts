import { validationError } from '#base/errors.js';
import type { PublicationState } from '../ast.js';
import type { BindContext } from '../bind-context.js';
import type { Plan } from '../plan.js';
import {
  type Aggregation,
  type GroupingQuery,
  type GroupKey,
  maxFunctions,
  maxGroupings,
  maxGroups,
  maxKeys,
  type ZonedKey,
} from './aggregation.js';
import { bindKey, refuseRepeated } from './bind-aggregation.js';
import { Figures } from './figures.js';

/** What groupings are bound for: the entries that are grouped, and the least number of entries of a group. */
interface GroupedEntries {
  readonly entries: Plan;
  readonly state: PublicationState;
  readonly minGroup: number;
}

/**
 * Binds groupings of the same entries, whose groups are in the order of their keys. Throws a ValidationError as `bindAggregation` does,
 * and if there are too many. A date may be a key twice, by different parts.
 */
export function bindGroupings(
  groupings: readonly GroupingQuery[],
  { entries, state, minGroup }: GroupedEntries,
  context: BindContext,
): readonly Aggregation[] {
  refuseMore(groupings, maxGroupings, 'groupings');
  const scope = { type: entries.type, context, state };
  return groupings.map(({ keys, functions }) => {
    refuseMore(keys, maxKeys, 'keys');
    refuseMore(functions, maxFunctions, 'functions');
    refuseRepeated(keys.map(nameOf));
    const figures = new Figures(scope);
    for (const { name, path } of functions) if (name !== 'count') figures.add(name, path.join('.'), true);
    const bound = keys.map((key): GroupKey => bindKey(key, key.timeZone, scope, 'groupBy'));
    const parts = { having: null, sort: [], isCountAnswered: true };
    return { entries, keys: bound, figures: figures.list, ...parts, minGroup, maxGroups };
  });
}

const nameOf = ({ path, unit }: ZonedKey): string => [path.join('.'), ...(unit === null ? [] : [unit])].join(':');

function refuseMore(items: readonly unknown[], most: number, what: string): void {
  if (items.length > most) throw validationError(`Invalid parameter groupBy: more than ${String(most)} ${what}`);
}
