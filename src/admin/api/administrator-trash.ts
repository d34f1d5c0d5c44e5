import type { ContentContext } from '#content/content-context.js';
import { ruleFilter } from '#content/rules-on-writes.js';
import type { Values } from '#base/values.js';
import type { ContentType } from '#model/schema/content-type.js';
import { type Match, matchesAll } from '#store/form/matches.js';
import { permittedValues } from '../content-manager/show-entry.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor, type EntryAction } from '../rights/content-access.js';
import { may } from '../rights/rights.js';

/** Returns the match of the entries on which an administrator may do something. Throws a ForbiddenError if no permission allows it. */
const matchFor = (action: EntryAction, type: ContentType, call: PanelCall): Promise<Match> =>
  ruleFilter(type, contentFor(call, action, type));

/** Returns the match of the entries that an administrator may read and delete. Throws a ForbiddenError if there are none. */
export async function matchDeletable(type: ContentType, call: PanelCall): Promise<Match> {
  return matchesEach([await matchFor('delete', type, call), await matchFor('read', type, call)]);
}

function matchesEach(matches: readonly Match[]): Match {
  const conditions = matches.filter((match) => Object.keys(match).length > 0);
  return conditions.length === 0 ? {} : matchesAll(...conditions);
}

/** Returns the values of a deleted entry that an administrator may see. */
export const visibleOfDeleted = (values: Values, type: ContentType, call: PanelCall): Values =>
  permittedValues(values, type, call);

/** Returns what an administrator may restore. Throws a ForbiddenError if it is nothing. */
export async function restoreRights(type: ContentType, call: PanelCall) {
  const isReader = may(call.rights, `${explorer}.read`, type.uid);
  return {
    /** The match of the entries that may be restored: those that they may create, and see if they may see any. */
    match: matchesEach([await matchFor('create', type, call), ...(isReader ? [await matchFor('read', type, call)] : [])]),
    /** The match of the entries that may be published; null if none may. */
    publish: may(call.rights, `${explorer}.publish`, type.uid) ? await matchFor('publish', type, call) : null,
    contextIn: (content: ContentContext): ContentContext => contentFor({ ...call, content }, 'create', type),
  };
}
