import { missingActions } from '../errors.js';
import { matchesAll, oneOf } from '../mongo/matches.js';
import { readAll } from '../mongo/database.js';
import { allows, actionOf } from '../query/access.js';
import type { Query } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { applyLinkInput, parseLinkInput } from '../schema/link-input.js';
import type { ContentContext } from './content-context.js';
import type { StoredDocument } from '../mongo/loaded.js';
import { ruleFilter } from './rules-on-writes.js';
import { isShared } from './sync-locales.js';

/**
 * Returns a stored entry of the localization group that a create joins by the `localizations` of its data; null if these name no
 * entry that the caller may see. Throws a ForbiddenError unless the caller may update or localize entries of the type.
 */
export async function findGroupToJoin(
  type: ContentType,
  localizations: unknown,
  context: ContentContext,
): Promise<StoredDocument | null> {
  const { bind, store } = context;
  const input = parseLinkInput(localizations, type.uid);
  const ids = input === null ? [] : applyLinkInput([], input);
  if (ids.length === 0) return null;
  const actions = ['update', 'createLocalization'].map((action) => actionOf(type, action));
  if (!actions.some((action) => allows(bind.access, action))) throw missingActions(actions);
  const filter = matchesAll({ _id: oneOf(ids) }, await ruleFilter(type, context));
  const [entry] = await readAll(store.database, { find: type.collection, filter, sort: { _id: 1 }, limit: 1 });
  return entry ?? null;
}

/**
 * Returns whether a new entry overwrites the values of its group instead of copying them. As in Strapi v4, this depends on
 * whether the answer shows the localizations, and the caller must have the right to update them.
 */
export const overwritesGroup = (type: ContentType, { populate }: Query, { access }: ContentContext['bind']): boolean =>
  allows(access, actionOf(type, 'update')) && (populate.all || populate.fields.some(({ name }) => name === 'localizations'));

/** Returns the data without the values that all locales of an entry share. */
export const withoutShared = (type: ContentType, data: Values): Values =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !isShared(type.attributes.get(name))));

/** Returns the required shared scalars of a group, which count as sent when the data of a new entry is checked. */
export function requiredShared(type: ContentType, source: StoredDocument): Values {
  const shared = [...type.attributes.values()].filter(
    (attribute) => isShared(attribute) && attribute.kind === 'scalar' && attribute.required,
  );
  return Object.fromEntries(
    shared.map(({ name }) => [name, source[name]]).filter(([, value]) => value !== null && value !== undefined),
  );
}
