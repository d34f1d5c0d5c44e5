import { validationError } from '#base/errors.js';
import type { ContentType } from '../schema/content-type.js';
import type { Query } from './ast.js';
import type { BindContext, VisibleContext } from './bind-context.js';
import { bindFilter, bindPublication, bindRule } from './bind-filter.js';
import { bindSort } from './bind-list.js';
import { allOf, foldCondition, orNull } from './conditions.js';
import type { Child, Condition, LinkChild, NestedList } from './plan.js';

/**
 * Returns the conditions that entries of a type must meet to be shown: the publication state, which hides drafts, and the
 * caller's rule.
 */
export const bindVisible = (type: ContentType, context: VisibleContext): Condition[] => [
  ...bindPublication(type, context.state, context),
  ...bindRule(type, context),
];

/**
 * Returns the child that reads only the locales of the other entries in the localization group; null if the type is not
 * localized.
 */
export function bindLocales(type: ContentType, context: VisibleContext): LinkChild | null {
  if (!type.localized) return null;
  const link = type.attributes.get('localizations');
  const locale = type.attributes.get('locale');
  if (link?.kind !== 'relation' || locale?.kind !== 'scalar') return null;
  return {
    kind: 'link',
    key: 'availableLocales',
    link,
    target: type,
    condition: orNull(allOf(bindVisible(type, context))),
    sort: [],
    window: null,
    countOnly: false,
    reversed: false,
    selection: { type, fields: [locale], children: [], locales: null },
  };
}

/**
 * Binds filter and sort of a nested list. Components come with their entry and are sorted in memory, so their sort cannot lead
 * through relations. Throws a ValidationError.
 */
export function bindNested(
  { filter, sort }: Query,
  type: ContentType,
  context: BindContext,
): Pick<NestedList, 'sort' | 'condition'> {
  const condition = filter === null ? null : bindFilter(filter, type, context);
  const keys = bindSort({ sort }, type, context);
  if (type.kind !== 'component') return { condition, sort: keys };
  const link = keys.find(({ links }) => links.length > 0)?.links[0]?.link.name;
  if (link !== undefined)
    throw validationError(`Invalid parameter sort: lists of components cannot be sorted by relations (${link})`);
  return { condition, sort: keys };
}

/** Returns the lists of a child: one, or one for each type. */
export const nestedLists = (child: Child): readonly NestedList[] => ('targets' in child ? [...child.targets.values()] : [child]);

/** Returns whether a list of components has a condition on related entries, in a child or at any depth below it. */
export const childAsksInLists = (child: Child): boolean =>
  nestedLists(child).some(
    ({ selection, condition }) =>
      selection.asksInLists === true || (selection.type.kind === 'component' && condition !== null && asksForRelated(condition)),
  );

const asksForRelated = (condition: Condition): boolean =>
  foldCondition<boolean>(condition, ({ kind }, parts) => kind === 'related' || parts.includes(true));
