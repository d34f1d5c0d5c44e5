import type { PendingRead } from '#content/content-context.js';
import type { Filter, Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { bindFilter, bindRule } from '#model/query/bind-filter.js';
import { bindSearchOf } from '#model/query/bind-search.js';
import { allOf, conjunctsOf, localeIn, orNull } from '#model/query/conditions.js';
import { findNear } from '#model/query/places/near.js';
import type { Condition, Plan } from '#model/query/plan.js';

/** The rights of the caller, and those of code, which may use all names. */
interface Contexts {
  readonly bind: BindContext;
  readonly sighted: BindContext;
}

/**
 * Returns the plan of a read with the conditions that code has changed. The row rules of the caller and the fallback of locales apply as
 * before, because no parameter names them. Throws a ValidationError for invalid conditions.
 */
export function bindChanged({ query, plan, id, group, further }: PendingRead, changed: Query, { bind, sighted }: Contexts): Plan {
  const { type } = plan;
  const { foundEntries } = changed.search === query.search ? query : {};
  const rest = group === undefined ? changed.filter : withoutId(changed.filter, id);
  const list = findNear(rest, type, sighted);
  const filter = list?.filter ?? rest;
  const condition = orNull(
    allOf([
      ...(group !== undefined && rest !== changed.filter ? [group] : []),
      ...(further === undefined ? [] : [further]),
      ...(query.fallbackLocales === null ? [] : fallbackOf(plan)),
      ...(filter === null ? [] : [bindFilter(filter, type, sighted)]),
      ...bindSearchOf({ search: changed.search, ...(foundEntries !== undefined && { foundEntries }) }, type, bind),
      ...bindRule(type, bind),
    ]),
  );
  // the distances of a place that the caller may not read would reveal it
  const near = list && { ...list.near, ...(findNear(rest, type, bind) === null && { isHidden: true as const }) };
  return { ...plan, condition, scope: null, isWhole: condition === null, near: near ?? undefined, foundEntries };
}

/** Returns the conditions of the fallback of locales. Entries of other locales are no part of it, whatever code asks for. */
const fallbackOf = ({ condition }: Plan): readonly Condition[] =>
  conjunctsOf(condition).flatMap((one) => (one.kind === 'fallback' ? [localeIn(one.locales), { ...one, isAlone: false }] : []));

/** Returns a filter without the condition on an id that each entry must meet; the same filter if it has none. */
function withoutId(filter: Filter | null, id: number | null): Filter | null {
  if (filter?.kind === 'field') {
    const { name, filter: inner } = filter;
    const isOfId = name === 'id' && inner.kind === 'comparison' && inner.operator === 'eq' && Number(inner.value) === id;
    return isOfId ? null : filter;
  }
  if (filter?.kind !== 'and') return filter;
  const filters = filter.filters.map((one) => withoutId(one, id));
  if (filters.every((one, index) => one === filter.filters[index])) return filter;
  return { kind: 'and', filters: filters.flatMap((one) => one ?? []) };
}
