import { comparesText } from '../../query/conditions.js';
import type { Condition, Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import { planIndexes } from './plan-indexes.js';

/** The name of the index of ids. */
const idIndex = '_id_';

/**
 * Returns the name of the index of the model that serves a list: one that leads to the entries, otherwise one that has their order;
 * null if there is none. The server may choose another one, for example one that an operator has made.
 */
export function servingIndex({ type, condition, isWhole, sort }: Plan, registry: Registry): string | null {
  const compared = pathsIn(condition);
  const sorted = sort.slice(0, 1).flatMap(({ links, path }) => (links.length === 0 ? [path] : []));
  const indexes = planIndexes(type, registry);
  const nameOf = (path: string): readonly string[] =>
    path === '_id' ? [idIndex] : indexes.filter(({ key }) => firstOf(key) === path).map(({ name }) => name);
  const [name] = [...compared, ...sorted].flatMap(nameOf);
  return name ?? (isWhole && sort.length === 0 ? idIndex : null);
}

/** Returns the first path of a key. A locale has a large part of a collection. */
const firstOf = (key: object): string | undefined => Object.keys(key).find((path) => path !== 'locale');

/** Returns the paths that an index may be asked for, if each entry must meet their comparison. */
function pathsIn(condition: Condition | null): readonly string[] {
  if (condition?.kind === 'and') return condition.conditions.flatMap(pathsIn);
  if (condition?.kind !== 'comparison' || condition.denied) return [];
  return comparesText(condition.comparator) && condition.comparator !== 'startsWith' ? [] : [condition.path];
}
