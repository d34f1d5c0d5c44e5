import type { ContentType } from '../schema/content-type.js';
import type { VisibleContext } from './bind-context.js';
import { bindRule } from './bind-filter.js';
import { allOf, orNull } from './conditions.js';
import { published, type Condition, type LinkChild } from './plan.js';

/** What entries of a type must meet to be shown at all: the publication state, and the caller's rule. */
export const bindVisible = (type: ContentType, context: VisibleContext): Condition[] => [
  ...(type.draftAndPublish && context.state === 'live' ? [published] : []),
  ...bindRule(type, context),
];

/** The entries of the same localization group, with nothing but their locale. */
export function bindLocales(type: ContentType, context: VisibleContext): LinkChild | null {
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
