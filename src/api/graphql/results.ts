import { type Row, rows } from '../code/rows.js';
import type { PageCursors } from '#content/cursors.js';
import { createShaper } from '#content/shape-values.js';
import type { ApiError } from '#base/errors.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import type { GroupHolder } from './group-nodes.js';
import type { GraphqlContext } from './graphql-context.js';

/** The value of `EntityResponse` types. */
export interface EntryResult {
  readonly value: Row | null;
  /** Thrown by the field `data`, so that only this field fails. */
  readonly failure?: ApiError;
}

/** The value of list responses. */
export interface ListResult {
  readonly nodes: readonly Row[];
  /** Null if it was not selected. */
  readonly total: number | null;
  readonly start: number;
  /** Null if there is no limit. */
  readonly limit: number | null;
  /** Counts all entries, for lists that an extension returned. */
  readonly count?: () => Promise<number>;
}

/** The value of connections. */
export interface ConnectionResult extends GroupHolder {
  readonly nodes: readonly Row[];
  readonly cursors: PageCursors;
}

interface EdgeResult extends Pick<ConnectionResult, 'cursors'> {
  readonly node: Row;
}

export const noEntry: EntryResult = { value: null };

/** Returns the response with a loaded entry. */
export const entryResult = (entry: LoadedEntry | null, context: GraphqlContext): EntryResult =>
  entry === null ? noEntry : { value: createRowShaper(context)(entry) };

/** Returns a function that converts loaded entries to rows, including populated values. */
export const createRowShaper = ({ content }: GraphqlContext): ((entry: LoadedEntry) => Row) =>
  createShaper(rows, content.bind.budget);

/*
 * The resolvers of the types that wrap rows. Types outlive the schema that they were made for (types/type-store.ts), so these keep
 * no reference to it.
 */
export const rowOf = (row: Row): Row => row;
export function entityOf({ value, failure }: EntryResult): Row | null {
  if (failure !== undefined) throw failure;
  return value;
}
export const entitiesOf = ({ nodes }: Pick<ListResult, 'nodes'>): readonly Row[] => nodes;
export const edgesOf = ({ nodes, cursors }: ConnectionResult): readonly EdgeResult[] => nodes.map((node) => ({ node, cursors }));
export const nodeOf = ({ node }: EdgeResult): Row => node;
export const cursorOf = ({ node, cursors }: EdgeResult): string | null => cursors.of(node['id']);
export const pageInfoOf = ({ cursors }: ConnectionResult): PageCursors => cursors;
export const metaOf = (list: ListResult): ListResult => list;

interface Page {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
}

/** Returns the pagination of a list; a promise if the total must still be counted. */
export function pageOfList(list: ListResult): Page | Promise<Page> {
  return list.total === null && list.count !== undefined
    ? list.count().then((total) => pageOf({ ...list, total }))
    : pageOf(list);
}

/** Returns the pagination of a list from the offset it was read with. */
function pageOf({ nodes, total, start, limit }: ListResult): Page {
  const counted = total ?? nodes.length;
  const pageSize = limit ?? Math.max(counted - start, 0);
  if (pageSize === 0) return { total: counted, page: 1, pageSize, pageCount: 0 };
  const page = limit === null ? 1 : Math.min(Math.floor(start / limit) + 1, largestInt);
  return { total: counted, page, pageSize, pageCount: limit === null ? 1 : Math.ceil(counted / limit) };
}

/** The largest value of GraphQL's Int. */
const largestInt = 2 ** 31 - 1;
