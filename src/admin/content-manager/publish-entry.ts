import type { EntryKey } from '#content/meet-precondition.js';
import { update } from '#content/update.js';
import { applicationError, notFoundError } from '#base/errors.js';
import { storedDraft } from '#store/form/draft.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { is } from '#store/form/matches.js';
import { findStored, isStored } from '#store/stored.js';
import type { ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import { type FoundEntry, idQuery } from './entry-rights.js';

export type State = 'published' | 'draft';

/** The query by which an entry is found that is then published or unpublished. */
export const stateQuery: Query = { ...emptyQuery, fields: ['publishedAt'] };

/**
 * Publishes an entry that was found by `stateQuery`, with the draft beside it, or makes it a draft again. Returns false if it is so
 * already. Throws a ValidationError that lists what a published entry lacks, an ApplicationError if the draft is gone meanwhile, and a
 * NotFoundError if the entry is.
 */
export async function publishEntry({ type, id }: EntryKey, to: State, { entry, context }: FoundEntry): Promise<boolean> {
  const isPublished = (entry.document['publishedAt'] ?? null) !== null;
  const takesDraft = to === 'published' && isPublished && (await hasDraft({ type, id }, context));
  if (isPublished === (to === 'published') && !takesDraft) return false;
  const publishedAt = to === 'published' ? new Date().toISOString() : null;
  const key = takesDraft ? { type, id, guard: storedDraft.exists } : { type, id };
  const updated = await update(key, { data: { publishedAt }, query: idQuery }, context);
  if (updated === null && takesDraft)
    throw applicationError('The draft beside the entry is gone: somebody has published or dropped it');
  if (updated === null) throw notFoundError();
  return true;
}

/** Returns whether a draft is beside a published entry. */
export const hasDraft = async ({ type, id }: EntryKey, { store }: FoundEntry['context']): Promise<boolean> =>
  keepsDrafts(type) && isStored(store.database, type.collection, { _id: id, ...storedDraft.exists });

/** Returns the ids of those entries of a list that have a draft beside them. */
export async function withDraftBeside(
  type: ContentType,
  entries: readonly LoadedEntry[],
  { store }: FoundEntry['context'],
): Promise<ReadonlySet<unknown>> {
  if (!keepsDrafts(type) || entries.length === 0) return new Set();
  const match = { _id: is.oneOf(entries.map(({ document }) => document['_id'])), ...storedDraft.exists };
  const rows = await findStored(store.database, type.collection, { match, fields: ['_id'] });
  return new Set(rows.map(({ _id }): unknown => _id));
}
