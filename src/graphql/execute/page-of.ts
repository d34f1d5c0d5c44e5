import type { ListResult } from './results.js';

export interface Page {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
}

/** The page figures of a list; a promise where they are still to be counted. */
export function readPage(list: ListResult): Page | Promise<Page> {
  return list.total === null && list.count !== undefined
    ? list.count().then((total) => pageOf({ ...list, total }))
    : pageOf(list);
}

/** The page figures of a list, from the offset it was read with (graphql.md 3.4). */
function pageOf({ nodes, total, start, limit }: ListResult): Page {
  const counted = total ?? nodes.length;
  const pageSize = limit ?? Math.max(counted - start, 0);
  if (pageSize === 0) return { total: counted, page: 1, pageSize, pageCount: 0 };
  const page = limit === null ? 1 : Math.min(Math.floor(start / limit) + 1, largestInt);
  return { total: counted, page, pageSize, pageCount: limit === null ? 1 : Math.ceil(counted / limit) };
}

/** Of GraphQL's Int. */
const largestInt = 2 ** 31 - 1;
