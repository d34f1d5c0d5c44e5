import type { ContentType } from '#model/schema/content-type.js';
import { ChangeBus } from '../changes/changes.js';
import { TotalCache } from '../changes/total-cache.js';
import { draftStage, hasDraft, undrafted } from '../form/draft.js';
import type { Database, Document } from '../send/database.js';
import type { Overlay } from '../send/overlay.js';
import { readAll } from '../send/read-commands.js';
import type { Store } from '../store.js';

/** Totals of what a store without drafts does not have, so that none is kept. */
const noTotals = new TotalCache(new ChangeBus());

/**
 * Returns a store whose reads see the drafts beside published entries of some types in the place of these entries, with their ids. Sends
 * one command for all types, which an index of the entries with drafts answers; in a transaction one for each. Returns the same store if
 * no draft is stored.
 */
export async function seeingDrafts(store: Store, types: readonly ContentType[]): Promise<Store> {
  const { database } = store;
  if (types.length === 0 || database.overlay !== undefined) return store;
  const found = await collectionsWithDrafts(types, database);
  if (found.length === 0) return store;
  const seen = { stages: [draftStage], changed: hasDraft, fixed: undrafted };
  const overlay: Overlay = new Map(found.map((collection) => [collection, seen]));
  const searches = database.searches.withoutWords(overlay);
  return { ...store, database: { ...database, overlay, searches }, totals: noTotals };
}

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
