import { applicationError, forbiddenError } from '#base/errors.js';
import { storedDraft } from '#store/form/draft.js';
import { findFirst } from '#store/stored.js';
import { entryStore } from '#store/write/write-entries.js';
import type { ContentContext } from './content-context.js';
import { withAllDrafts } from './drafts.js';
import { type EntryKey, matchExpectedEntry, refuseUnexpected } from './meet-precondition.js';
import { hidesDrafts, hidesOne, matchVisibleEntry } from './rules-on-writes.js';

/**
 * Drops the draft beside an entry, which stays as it is. Returns null if there is no such entry. Throws a ForbiddenError if the
 * caller's rule hides drafts, an ApplicationError if there is no draft, or another request changes it meanwhile, and a
 * PreconditionFailedError if it is not of the expected version.
 */
async function discard(key: EntryKey, context: ContentContext): Promise<true | null> {
  const { type, id } = key;
  if (await hidesOne(type, { _id: id }, context)) return null;
  const reading = await withAllDrafts(context);
  const visible = await matchVisibleEntry(type, id, reading);
  const stored = await findFirst(reading.store.database, type.collection, matchExpectedEntry(visible, key));
  if (stored === null) return refuseUnexpected(key, visible, reading);
  if (hidesDrafts(type, context)) throw forbiddenError();
  const change = { match: storedDraft.same(stored), change: storedDraft.removed };
  const isThere = storedDraft.of(stored) !== null;
  if (!isThere || (await entryStore.update(context.store, type.collection, change)) === null)
    throw applicationError('There is no such draft beside the entry, or it has changed meanwhile');
  return true;
}

/** Returns whether the caller sees the draft beside an entry, which is one that the caller sees. */
const isShown = async ({ type, id }: EntryKey, context: ContentContext): Promise<boolean> =>
  !hidesDrafts(type, context) && !(await hidesOne(type, { _id: id }, await withAllDrafts(context)));

/** What callers with the right to an entry do with the draft beside it. */
export const draftBeside = { discard, isShown };
