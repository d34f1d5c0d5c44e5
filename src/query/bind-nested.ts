import { validationError } from '../errors.js';
import type { ContentType } from '../schema/content-type.js';
import type { Query } from './ast.js';
import type { BindContext } from './bind-context.js';
import { bindFilter } from './bind-filter.js';
import { bindWindow } from './bind-pagination.js';
import { bindSort } from './bind-sort.js';
import type { NestedList, Condition, LinkChild } from './plan.js';

/**
 * Binds filter and sort of a nested list. Components come with their entry and are filtered and sorted in memory, so theirs cannot
 * lead through relations. Throws a ValidationError.
 */
export function bindNested(
  { filter, sort }: Query,
  type: ContentType,
  context: BindContext,
): Pick<LinkChild, 'sort' | 'condition'> {
  const condition = filter === null ? null : bindFilter(filter, type, context);
  const keys = bindSort(sort, type, context);
  if (type.kind !== 'component') return { condition, sort: keys };
  const related = condition === null ? null : relatedName(condition);
  const link = related ?? keys.find(({ links }) => links.length > 0)?.links[0]?.link.name;
  if (link !== undefined) throw validationError(`Invalid parameter ${link}: lists of components have no conditions on relations`);
  return { condition, sort: keys };
}

/** Binds which items of a nested list are shown; null if all are. Throws a ValidationError. */
export function bindNestedList(query: Query, type: ContentType, context: BindContext): NestedList | null {
  const list = { ...bindNested(query, type, context), window: bindWindow(query.pagination, context) };
  return list.condition === null && list.sort.length === 0 && list.window === null ? null : list;
}

/** The first relation that a condition leads through. */
function relatedName(condition: Condition): string | null {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.map(relatedName).find((name) => name !== null) ?? null;
    case 'element':
      return relatedName(condition.condition);
    case 'related':
      return condition.link.name;
    case 'test':
      return null;
  }
}
