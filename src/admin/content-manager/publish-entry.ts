import type { EntryKey } from '#content/meet-precondition.js';
import { update } from '#content/update.js';
import { applicationError, notFoundError } from '#base/errors.js';
import type { Values } from '#base/values.js';
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

/** How an entry is published or unpublished. */
export interface Publication {
  readonly key: EntryKey;
  /** Whether a draft takes the place of the published entry. */
  readonly takesDraft: boolean;
}

/** Returns the data of an entry that is published, or made a draft again. */
export const stateData = (to: State): Values => ({ publishedAt: to === 'published' ? new Date() : null });

/** Returns how an entry that was found by `stateQuery` is published, or made a draft again; null if it is so already. */
export async function publicationOf(
  { type, id }: EntryKey,
  to: State,
  { entry, context }: FoundEntry,
): Promise<Publication | null> {
  const isPublished = (entry.document['publishedAt'] ?? null) !== null;
  const takesDraft = to === 'published' && isPublished && (await hasDraft({ type, id }, context));
  if (isPublished === (to === 'published') && !takesDraft) return null;
  return { key: takesDraft ? { type, id, guard: storedDraft.exists } : { type, id }, takesDraft };
}

/**
 * Publishes an entry with the draft beside it, or makes it a draft again. Returns false if the entry or the draft is gone. Throws a
 * ValidationError that lists what a published entry lacks.
 */
export const publish = async ({ key }: Publication, data: unknown, context: FoundEntry['context']): Promise<boolean> =>
  (await update(key, { data, query: idQuery }, context)) !== null;

/**
 * Does so if the entry is not so already; otherwise returns false. Throws an ApplicationError if the draft is gone meanwhile, and a
 * NotFoundError if the entry is.
 */
export async function publishEntry(key: EntryKey, to: State, found: FoundEntry): Promise<boolean> {
  const publication = await publicationOf(key, to, found);
  if (publication === null || (await publish(publication, stateData(to), found.context))) return publication !== null;
  throw publication.takesDraft
    ? applicationError('The draft beside the entry is gone: somebody has published or dropped it')
    : notFoundError();
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
