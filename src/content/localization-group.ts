import { missingActions } from '../errors.js';
import { matchesAll, oneOf } from '../mongo/form/matches.js';
import { findStored } from '../mongo/stored.js';
import { allows, actionOf } from '../query/access.js';
import { applyLinkInput } from '../schema/apply-link-input.js';
import type { ContentType } from '../schema/content-type.js';
import { parseLinkInput } from '../schema/link-input.js';
import type { ContentContext } from './content-context.js';
import type { StoredDocument } from '../mongo/form/loaded.js';
import { ruleFilter } from './rules-on-writes.js';
import { sharedAttributes } from './sync-locales.js';

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
  const [entry] = await findStored(store.database, type.collection, { match: filter, sort: { _id: 1 }, limit: 1 });
  return entry ?? null;
}

/** Returns the names of shared attributes that have a value in an entry of a group. A new entry of the group need not send them. */
export const heldNames = (type: ContentType, source: StoredDocument): ReadonlySet<string> =>
  new Set(sharedAttributes(type).filter((name) => (source[name] ?? null) !== null));
