import type { ContentType } from '#model/schema/content-type.js';
import { draftStage, hasDraft, undrafted } from '../form/draft.js';
import type { Database, Document } from '../send/database.js';
import type { Overlay } from '../send/overlay.js';
import { readAll } from '../send/read-commands.js';
import type { Store } from '../store.js';

/**
 * Returns a store whose reads see the drafts beside published entries of some types in the place of these entries, with their ids. Sends
 * one command for all types, which an index of the entries with drafts answers; in a transaction one for each. It sends none for types
 * that the store was asked for before. Totals of types with drafts are not kept.
 */
export async function seeingDrafts(store: Store, types: readonly ContentType[]): Promise<Store> {
  const { database } = store;
  const overlays = database.overlay ?? new Map<string, null>();
  const missingTypes = types.filter(({ collection }) => !overlays.has(collection));
  if (missingTypes.length === 0) return store;
  const collections = new Set(await collectionsWithDrafts(missingTypes, database));
  const overlay: Overlay = new Map([
    ...overlays,
    ...missingTypes.map(({ collection }) => [collection, collections.has(collection) ? seen : null] as const),
  ]);
  const searches = database.searches.withoutWords(collections);
  return { ...store, database: { ...database, overlay, searches }, totals: store.totals.without(collections) };
}

/** Returns a store whose reads see entries of some ids, or all of a collection, as they are, although they have drafts. */
export function hidingDrafts(store: Store, collection: string, ids: readonly unknown[] | 'all'): Store {
  const { database } = store;
  if (ids.length === 0) return store;
  const changed = ids === 'all' ? null : { ...seen, stages: [draftStage(ids)] };
  const overlay: Overlay = new Map([...(database.overlay ?? []), [collection, changed]]);
  return { ...store, database: { ...database, overlay } };
}

/** Returns a store that was not asked for drafts yet. */
export function seeingNone(store: Store): Store {
  const { overlay, ...database } = store.database;
  return overlay === undefined ? store : { ...store, database };
}

const seen = { stages: [draftStage()], changed: hasDraft, fixed: undrafted };

async function collectionsWithDrafts(types: readonly ContentType[], database: Database): Promise<readonly string[]> {
  const [first, ...others] = types.map(({ collection }) => ({ collection, pipeline: anyDraft(collection) }));
  if (first === undefined) return [];
  if (database.session !== null) {
    const found: string[] = [];
    for (const { collection, pipeline } of [first, ...others])
      if ((await readAll(database, { aggregate: collection, pipeline })).length > 0) found.push(collection);
    return found;
  }
  const unions = others.map(({ collection: coll, pipeline }) => ({ $unionWith: { coll, pipeline } }));
  const rows = await readAll(database, { aggregate: first.collection, pipeline: [...first.pipeline, ...unions] });
  return rows.map((row) => String(row['in']));
}

const anyDraft = (collection: string): Document[] => [
  { $match: hasDraft },
  { $limit: 1 },
  { $project: { _id: 0, in: { $literal: collection } } },
];
