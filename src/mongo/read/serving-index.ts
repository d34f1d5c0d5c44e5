import { comparesText, conjunctsOf } from '../../query/conditions.js';
import type { Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import { firstPath, idIndex, modelIndexes } from './is-served.js';

/**
 * Returns the name of the index of the model that serves a list: one that leads to the entries, otherwise one that has their order;
 * null if there is none. The server may choose another one, for example one that an operator has made.
 */
export function servingIndex({ type, condition, isWhole, sort }: Plan, registry: Registry): string | null {
  const compared = conjunctsOf(condition).flatMap((term) =>
    term.kind === 'comparison' && !term.denied && (!comparesText(term.comparator) || term.comparator === 'startsWith')
      ? [term.path]
      : [],
  );
  const sorted = sort.slice(0, 1).flatMap(({ links, path }) => (links.length === 0 ? [path] : []));
  const indexes = modelIndexes(type, registry);
  const [first] = [...compared, ...sorted].flatMap((path) => indexes.filter(({ key }) => firstPath(key) === path));
  return first?.name ?? (isWhole && sort.length === 0 ? idIndex.name : null);
}
