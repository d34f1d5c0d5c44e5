import type { Document } from 'mongodb';
import type { SortKey, Window } from '../query/plan.js';
import { compileSort, compileSortValues, sortsByComputed } from './compile-sort.js';

/** A page of one collection: what `find` and a pipeline have in common. */
export interface Page {
  readonly collection: string;
  readonly match: Document;
  readonly sort: readonly SortKey[];
  readonly window: Window;
  readonly projection: Document;
}

/** More documents than any reply holds in its 16 MB, so that one reply carries the page. */
export const oneReply = 1_000_000;

/** The command that reads a page: `find`, unless the order depends on values that are computed. */
export function compilePage(page: Page): Document {
  if (sortsByComputed(page.sort))
    return {
      aggregate: page.collection,
      pipeline: compilePagePipeline(page),
      cursor: { batchSize: oneReply },
      allowDiskUse: true,
    };
  const { skip, limit } = page.window;
  return {
    find: page.collection,
    filter: page.match,
    sort: compileSort(page.sort),
    projection: page.projection,
    ...(skip > 0 && { skip }),
    ...(limit !== null && { limit }),
    batchSize: oneReply,
  };
}

/** The same page as stages. Sort and cut come before anything is read that only the page needs. */
export function compilePagePipeline({ match, sort, window, projection }: Omit<Page, 'collection'>): Document[] {
  return [
    { $match: match },
    ...compileSortValues(sort),
    { $sort: compileSort(sort) },
    ...(window.skip > 0 ? [{ $skip: window.skip }] : []),
    ...(window.limit !== null ? [{ $limit: window.limit }] : []),
    { $project: projection },
  ];
}
